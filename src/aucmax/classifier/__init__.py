"""The front door: ``AUCClassifier`` chooses loss and penalty by itself, ``AUCClassifierCV`` by cross-validation."""

from aucmax.classifier.crossed import AUCClassifierCV
from aucmax.classifier.quick import AUCClassifier

__all__ = ["AUCClassifier", "AUCClassifierCV"]
