import subprocess
import sys

import pytest

import aucmax


def test_public_names_are_listed_and_load():
    square = ("SOLAM", "RegSOLAM", "SPAM", "VRSPAM", "FSAUC", "SPDAM", "ExactAUC", "MBA")
    pairwise = ("PSAM", "ASAM", "BAM", "ROCSVM", "RankOpt")
    online = ("OAM", "OPAUC", "AdaOAM", "CBR", "UniExp")
    for name in (*square, *pairwise, *online, "KMeansNystroem", "AUCClassifier", "AUCClassifierCV"):
        assert name in dir(aucmax)
        assert getattr(aucmax, name)().get_params() is not None
    assert not any("Estimator" in name or "Mixin" in name for name in dir(aucmax))
    with pytest.raises(AttributeError, match="AUCMagic"):
        _ = aucmax.AUCMagic


def test_importing_the_package_loads_nothing_heavy():
    script = "import sys, aucmax; print([m for m in ('numpy', 'numba', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
