"""The papers' convergence rates, measured against the exact optimum: ``python -m benchmarks.rates`` (``make bench``).

The stochastic methods make one pass over many rows, each seen once as the theory assumes: several passes over few rows
would look faster, because a pass without replacement averages out much of the noise. Prints promised and measured
slopes and draws ``out/rates.png``. A promise is an upper bound; on a strongly convex problem the gap of an averaged
saddle method falls with the square of the distance to the optimum, so both are shown.
"""

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from aucmax import FSAUC, SOLAM, SPAM, SPDAM, VRSPAM, ExactAUC, RegSOLAM

SEEDS = range(10)
L2 = 0.5


def problem(n, d=10, seed=0):
    """Two noisy classes of well-conditioned rows: strongly convex with the penalty L2."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + 2 * rng.standard_normal(n) > 1, 1, -1)
    return X, y


def gaps(make, X, y, best):
    """Iterations, and the objective's mean distance from the optimum over the seeds."""
    histories = [make(seed).set_params(record=True, tol=None).fit(X, y).history_ for seed in SEEDS]
    length = min(len(h["iteration"]) for h in histories)
    return histories[0]["iteration"][:length], np.mean([h["objective"][:length] for h in histories], axis=0) - best


def slope(t, gap, first):
    """The slope of log gap against log t from iteration ``first`` on."""
    late = t >= first
    return np.polyfit(np.log(t[late]), np.log(gap[late]), 1)[0]


def stochastic(X, y):
    """Log-log slopes of the one-row-a-step methods."""
    best = ExactAUC(L2).fit(X, y).objective(X, y)
    free = ExactAUC(0.0).fit(X, y).objective(X, y)
    rows = {
        "SOLAM": (lambda s: SOLAM(10.0, step=10.0, max_iter=1, random_state=s), free, "-1/2"),
        "regSOLAM": (lambda s: RegSOLAM(L2, step=10.0, max_iter=1, random_state=s), best, "-1/2"),
        "SPAM, theorem 4.2": (
            lambda s: SPAM(L2, schedule="theorem", average=False, max_iter=1, random_state=s),
            best,
            "-1",
        ),
        "SPAM, t^-0.75": (
            lambda s: SPAM(L2, schedule="power", theta=0.75, step=1.0, average=False, max_iter=1, random_state=s),
            best,
            "-0.75",
        ),
    }
    found = {}
    for name, (make, optimum, promised) in rows.items():
        t, gap = gaps(make, X, y, optimum)
        found[name] = (t, gap, promised, slope(t, gap, 1e3))
    return found


def fsauc_in_n(X, y):
    """FSAUC's rate is in the number of steps it was planned for: one run each."""
    best = ExactAUC(0.0).fit(X, y).objective(X, y)
    sizes = np.logspace(3, np.log10(len(y)), 8).astype(int)
    gap = []
    for n in sizes:
        starts = np.random.default_rng(0).integers(0, len(y) - n + 1, len(SEEDS))
        models = [FSAUC(10.0, step=1.0, max_iter=1, shuffle=False).fit(X[k : k + n], y[k : k + n]) for k in starts]
        gap.append(np.mean([model.objective(X, y) for model in models]) - best)
    return sizes, np.array(gap), "-1", slope(sizes, np.array(gap), 1e3)


def linear(X, y):
    """Methods with a linear rate: the factor per iteration, and how straight the line is."""
    p = np.mean(y > 0)
    best = ExactAUC(L2).fit(X, y).objective(X, y)
    halves = 0.5 / (p * (1 - p))
    found = {}
    for name, make, optimum in (
        ("VRSPAM", lambda s: VRSPAM(L2, max_iter=25, random_state=s), best),
        ("SPDAM", lambda s: SPDAM(L2 * halves, max_iter=1500, random_state=s), halves * best),
    ):
        t, gap = gaps(make, X, y, optimum)
        clear = (gap > 1e-13) & (t > 0)
        fit = np.polyfit(t[clear], np.log(gap[clear]), 1)
        straight = np.corrcoef(t[clear], np.log(gap[clear]))[0, 1]
        found[name] = (t[clear], gap[clear], np.exp(fit[0]), straight)
    return found


def draw(slopes, lines, path):
    figure, (left, right, last) = plt.subplots(1, 3, figsize=(14, 4.2), constrained_layout=True)
    styles = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))]
    for style, (name, (t, gap, promised, measured)) in zip(styles, slopes.items(), strict=False):
        left.loglog(t, gap, color="0.15", ls=style, lw=1.4, label=f"{name}: {measured:.2f} (promised {promised})")
    left.set(xlabel="steps", ylabel="objective above the optimum", title="Slopes on a log-log scale")
    left.legend(frameon=False, fontsize=8)
    for axis, (name, (t, gap, factor, _)) in zip((right, last), lines.items(), strict=True):
        axis.semilogy(t, gap, color="0.15", lw=1.4, marker=".", ms=4)
        unit = "stage" if name == "VRSPAM" else "mini-batch"
        axis.set(
            xlabel=f"{unit}es" if unit.endswith("h") else f"{unit}s", title=f"{name}: a factor {factor:.3g} per {unit}"
        )
    for axis in (left, right, last):
        axis.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y = problem(200_000)
    slopes = {**stochastic(X, y), "FSAUC, in n": fsauc_in_n(X, y)}
    lines = linear(*problem(2000))
    print(f"\n{'algorithm':<22}{'promised':>12}{'gap':>12}{'half of it':>12}   (slopes of the gap, ten seeds)")
    for name, (_, _, promised, measured) in slopes.items():
        print(f"{name:<22}{promised:>12}{measured:>12.2f}{measured / 2:>12.2f}")
    print(f"\n{'algorithm':<22}{'promised':>12}{'factor':>12}{'correlation':>14}   (of log gap and iteration)")
    for name, (_, _, factor, straight) in lines.items():
        print(f"{name:<22}{'linear':>12}{factor:>12.4f}{straight:>14.4f}")
    path = Path("out/rates.png")
    draw(slopes, lines, path)
    print(f"\ndrawn: {path}")


if __name__ == "__main__":
    main()
