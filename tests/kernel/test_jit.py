import gc
import os
import subprocess
import sys

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from tests.conftest import make_problem
from tests.estimators import ESTIMATORS, quick

SCRIPT = """
import sys
import numpy as np
import scipy.sparse as sp
from tests.conftest import make_problem
from tests.estimators import ESTIMATORS, quick
X, y = make_problem(n=60, d=6)
found = {}
for name, cls in ESTIMATORS.items():
    options = {"max_iter": 2, "n_pairs": 50}
    for l1 in (0.0, 0.05) if "l1" in cls().get_params() else (0.0,):
        for kind, given in (("dense", X), ("csr", sp.csr_matrix(X))):
            found[f"{name} {l1} {kind}"] = quick(name, **options, l1=l1).fit(given, y).coef_[0]
np.savez(sys.argv[1], **found)
"""


def run(tmp_path, name, **environment):
    path = tmp_path / f"{name}.npz"
    env = {**os.environ, **environment}
    subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT, str(path)], check=True, env=env, timeout=500)
    return np.load(path)


def test_plain_python_and_compiled_code_agree(tmp_path):
    plain = run(tmp_path, "plain", NUMBA_DISABLE_JIT="1")
    compiled = run(tmp_path, "compiled")
    assert set(plain) == set(compiled)
    sparse = [name for name, cls in ESTIMATORS.items() if "l1" in cls().get_params()]
    assert len(plain) == 2 * len(ESTIMATORS) + 2 * len(sparse)
    for key in plain:
        np.testing.assert_allclose(compiled[key], plain[key], rtol=1e-9, atol=1e-12, err_msg=key)


def test_a_second_process_loads_kernels_instead_of_compiling_them(tmp_path):
    X, y = make_problem(n=50, d=4)
    quick("SPAM").fit(X, y)
    script = (
        "import numba.core.event as event\n"
        "from tests.conftest import make_problem\n"
        "from tests.estimators import quick\n"
        "X, y = make_problem(n=50, d=4)\n"
        "with event.install_recorder('numba:compile') as recorder:\n"
        "    quick('SPAM').fit(X, y)\n"
        "print(len(recorder.buffer))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=300)
    assert int(done.stdout) == 0


def test_no_kernel_returns_a_tuple_with_names():
    """numba makes one by calling Python; a signal's handler that raises there would end the process."""
    X, y = make_problem(n=60, d=4)
    for name in ESTIMATORS:
        quick(name).fit(X, y)
    # of all that is compiled, what Python calls: helpers have no options of their own
    found = [each for each in gc.get_objects() if isinstance(each, Dispatcher) and "aucmax" in (each.__module__ or "")]
    compiled = [each for each in found if each.targetoptions.get("nogil")]
    returned = {each: [made.signature.return_type for made in each.overloads.values()] for each in compiled}
    assert sum(map(len, returned.values())) > 20

    def named(kind):
        return isinstance(kind, types.BaseNamedTuple) or any(named(part) for part in getattr(kind, "types", ()))

    assert not [each for each, kinds in returned.items() if any(map(named, kinds))]
