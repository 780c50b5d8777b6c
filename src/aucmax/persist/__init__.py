"""Model files: arrays as safetensors, the rest as checked JSON; nothing in a file is ever run or imported."""

from aucmax.persist.container import ModelFileError
from aucmax.persist.model import ModelFile, load, open_model, save

__all__ = ["ModelFile", "ModelFileError", "load", "open_model", "save"]
