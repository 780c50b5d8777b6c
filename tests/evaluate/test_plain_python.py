"""With the JIT switched off the kernels are plain Python: slow, and the same numbers."""

import os
import subprocess
import sys

SCRIPT = """
import warnings; warnings.simplefilter("error")
import numpy as np
from aucmax import evaluate as ev
rng = np.random.default_rng(0)
y, w = rng.random(60) < 0.4, rng.random(60)
s = np.round(rng.standard_normal(60) + y, 1)
found = [ev.roc_auc(y, s), ev.roc_auc(y, s, w), *ev.delong_ci(y, s, w), ev.h_measure(y, s, w)]
found += [*ev.delong_covariance(y, np.c_[s, w], w).covariance.ravel(), ev.group_auc(y, s, np.arange(60) % 4, w)]
found += [*ev.bootstrap_ci(y, s, w, n_resamples=5, random_state=0).samples]
found += [*ev.bootstrap_ci(y, s, groups=np.arange(60) // 3, n_resamples=5, random_state=0).samples]
found += [*np.nan_to_num(ev.WindowedAUC(20).trace(y, s)), ev.AUCSummary(16).update(y, s).auc]
print(" ".join(f"{value:.12f}" for value in found))
"""


def test_the_same_without_the_jit():
    made = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True, env=env
        ).stdout.split()
        for env in (os.environ, {**os.environ, "NUMBA_DISABLE_JIT": "1"})
    ]
    assert made[0] == made[1]
    assert len(made[0]) == 83
