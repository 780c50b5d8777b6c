"""Errata of the paper on PSAM."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from aucmax import PSAM
from tests.conftest import make_problem
from tests.reference.pairwise import *  # noqa: F403
