"""Invented results, as rich as real ones: every state, gaps, long texts, and labels that try to break the page."""

import math
import random

HOSTILE = '<img src=x onerror="window.broken=1"></script><script>window.broken=1</script>&amp;\'"`${broken}'
SETS = ["acorn", "birch-10", "birch-9", "cedar", "dogwood", "elder", "fir", "gorse"]
METHODS = ["ALPHA", "BETA-L2", "BETA-NET", "GAMMA", "DELTA(sparse)"]
STATES = [
    *("better", "reproduced", "short", "cause known", "not run", "no data", "failed", "not comparable", "unfinished")
]
CAUSES = {
    "short": "the paper's split is not published; ours has fewer positives in the test part",
    "failed": "MemoryError: the covariance of 47,236 columns does not fit",
    "no data": "the file is not in the folder",
    "cause known": "the file has fewer rows than the paper's",
}


def row(rng, k, name, method):
    state = rng.choices(STATES, (8, 5, 3, 1, 1, 1, 1, 1, 1))[0]
    printed, std = round(rng.uniform(0.72, 0.97), 4), round(rng.uniform(0.004, 0.035), 4)
    shift = {"better": 0.6 * std, "reproduced": -0.4 * std, "short": -1.6 * std, "cause known": -1.2 * std}.get(state)
    ours = None if shift is None else round(printed + shift, 6)
    return {
        "set": name,
        "algorithm": method,
        "printed": printed,
        "printed_std": std if k % 7 else None,
        "ours": ours,
        "ours_std": None if ours is None else round(0.8 * std, 6),
        "low": None if ours is None else ours - 0.3 * std,
        "high": None if ours is None else min(1.0, ours + 0.3 * std),
        "runs": 3 if state == "unfinished" else None if ours is None else 25,
        "planned": 25,
        "aside": 2 if state == "unfinished" else 0,
        "below": round(-shift - std, 6) if state in ("short", "cause known") and k % 7 else None,
        "tests": "test_of_the_rows" if state == "cause known" else "",
        "shipped": None if ours is None else ours - 0.002,
        "difference": None if ours is None else ours - printed,
        "state": state,
        "cause": CAUSES.get(state, ""),
        "seconds": None if ours is None else rng.lognormvariate(-2, 2),
        "printed_seconds": rng.lognormvariate(2, 2) if method == "GAMMA" else None,
        "params": "" if ours is None else f"l2=1e-{k % 6}, step={2 ** (k % 5)}",
    }


def table(identity, paper, title, seed, sets):
    rng = random.Random(seed)
    rows = [row(rng, k * len(METHODS) + j, s, m) for k, s in enumerate(sets) for j, m in enumerate(METHODS)]
    return {
        "id": identity,
        "paper": paper,
        "title": title,
        "protocol": "Columns to [-1, 1]; five repeats of five folds; parameters by cross-validation on training rows.",
        "note": "Printed without deviations where the bar is missing." if seed == 1 else "",
        "rows": rows,
    }


def curve(name, rate, level, *, band=True):
    x = [round(10 ** (1 + 4 * k / 40), 3) for k in range(41)]
    y = [level - 0.35 * (v / 10) ** -rate for v in x]
    spread = [0.04 * (v / 10) ** -0.3 for v in x]
    return {
        "name": name,
        "x": x,
        "y": y,
        "low": [a - b for a, b in zip(y, spread, strict=True)] if band else None,
        "high": [min(1.0, a + b) for a, b in zip(y, spread, strict=True)] if band else None,
    }


def roc(name, power):
    x = [k / 50 for k in range(51)]
    y = [v**power for v in x]
    band = [0.12 * math.sqrt(v * (1 - v)) for v in y]
    low, high = ([min(1.0, max(0.0, a + s * b)) for a, b in zip(y, band, strict=True)] for s in (-1, 1))
    return {"name": name, "x": x, "y": y, "low": low, "high": high}


def decay(name, rate, gap=None):
    x = [2**k for k in range(15)]
    y = [None if k == gap else 0.3 * v**-rate for k, v in enumerate(x)]
    return {"name": name, "x": x, "y": y, "low": None, "high": None}


def figures():
    many = [curve(f"{method} {k}", 0.3 + 0.1 * k, 0.9 - 0.012 * k, band=False) for k, method in enumerate(METHODS * 2)]
    return [
        {
            "id": "convergence",
            "title": "Test AUC of an invented set along the way",
            "x": "iterations",
            "y": "test AUC",
            "log_x": True,
            "log_y": False,
            "note": "Mean of ten runs; bands are one standard deviation.",
            "kind": "lines",
            "series": [curve("ALPHA", 0.8, 0.93), curve("BETA-L2", 0.5, 0.91), curve("GAMMA", 0.3, 0.9)],
        },
        {
            "id": "roc-cedar",
            "title": "ROC on the cedar test rows",
            "x": "false positive rate",
            "y": "true positive rate",
            "log_x": False,
            "log_y": False,
            "note": "Bands hold 95 % of resamples at each place.",
            "kind": "roc",
            "series": [roc("ALPHA", 0.2), roc("BETA-L2", 0.4)],
        },
        {
            "id": "gap",
            "title": "Objective above its minimum",
            "x": "passes",
            "y": "gap",
            "log_x": True,
            "log_y": True,
            "note": "",
            "kind": "lines",
            "series": [decay("promised 1/t", 1.0), decay("measured", 1.2, gap=6)],
        },
        {
            "id": "many",
            "title": "Ten curves",
            "x": "seconds",
            "y": "test AUC",
            "log_x": True,
            "log_y": False,
            "note": "Colours repeat after eight curves, their dashes do not.",
            "kind": "lines",
            "series": many,
        },
    ]


def facts():
    tables = [
        table("oak-3.2", "A. Author, On Trees (2999)", "Oak, table 3.2", 0, SETS),
        table("elm-II", "B. Writer, On Leaves (2998)", "Elm, table II", 1, SETS[:4]),
    ]
    states = [r["state"] for t in tables for r in t["rows"]]
    counts = [("better than printed", "better"), ("reproduced", "reproduced"), ("short of print", "short")]
    return {
        "title": "Invented papers, reproduced",
        "created": "2999-01-02T03:04:05+00:00",
        "version": "9.9.9",
        "commit": "0123abc",
        "machine": "an imaginary machine, 2 cores",
        "quick": True,
        "summary": {
            "lines": [
                "Of the printed figures on sets at hand, most are reproduced and the majority exceeded.",
                "Every shortfall has a stated cause; every promised rate is met or explained.",
            ],
            "counts": [{"name": "printed figures", "value": len(states), "state": ""}]
            + [{"name": name, "value": states.count(state), "state": state} for name, state in counts],
        },
        "leaderboard": [
            {"name": "ALPHA", "auc": 0.9312, "low": 0.9201, "high": 0.9411, "seconds": 0.031, "note": ""},
            {"name": "BETA-L2", "auc": 0.9287, "low": 0.917, "high": 0.9388, "seconds": 1.42, "note": "one pass"},
            {
                "name": "a baseline",
                "auc": 0.9011,
                "low": 0.886,
                "high": 0.914,
                "seconds": 0.4,
                "note": "for comparison",
            },
        ],
        "tables": tables,
        "figures": figures(),
        "rates": [
            {"algorithm": "ALPHA", "promised": "O(1/t)", "measured": "t^-1.08", "state": "met", "note": ""},
            {
                "algorithm": "BETA-L2",
                "promised": "linear",
                "measured": "0.93 per pass",
                "state": "explained",
                "note": "linear until the variance of the last pass",
            },
            {
                "algorithm": "GAMMA",
                "promised": "O(1/√t)",
                "measured": "t^-0.31",
                "state": "not met",
                "note": "see errata",
            },
        ],
        "timings": [
            {
                "set": "fir",
                "algorithm": "GAMMA",
                "printed": 812.0,
                "ours": 1.9,
                "ratio": 427.4,
                "note": "15 passes each",
                "fair": True,
            },
            {"set": "gorse", "algorithm": "GAMMA", "printed": 3.1, "ours": 2.4, "ratio": 1.29, "note": ""},
            {
                "set": "acorn",
                "algorithm": "a library",
                "printed": 0.02,
                "ours": 0.05,
                "ratio": 0.4,
                "note": "ours is slower",
                "fair": False,
            },
            {"set": "elder", "algorithm": "GAMMA", "printed": 30.0, "ours": None, "ratio": None, "note": "not run"},
        ],
        "rivals": [
            {
                "set": "fir",
                "library": "ours",
                "model": "ALPHA()",
                "seconds": 0.02,
                "auc": 0.91,
                "rows": 900,
                "columns": 7,
            },
            {
                "set": "fir",
                "library": "theirs",
                "model": "Other(1)",
                "seconds": 0.3,
                "auc": 0.9,
                "rows": 900,
                "columns": 7,
            },
        ],
        "errata": [
            {
                "where": "Oak, equation 3.4",
                "kind": "error",
                "printed": "`w ← w + ηg`",
                "right": "`w ← w − ηg`: as printed it *climbs*",
                "why": "a < b & 2 * 3 * 4, w*-v*",
                "test": "`test_oak`",
            },
            {
                "where": "Elm, table II",
                "kind": "remark",
                "printed": "fir 0.99",
                "right": "0.89: the text says so twice",
            },
        ],
        "notes": {"rivals": "One thread, on an imaginary machine."},
        "again": ["aucmax bench run oak-3.2 --quick --jobs 2", "aucmax report --output report.html"],
    }


def hostile():
    """The same with every label an attack."""

    def replaced(value, key=""):
        if isinstance(value, dict):
            return {k: replaced(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [replaced(v) for v in value]
        if isinstance(value, str) and key not in ("id", "kind", "state"):
            return value + HOSTILE
        return value

    return replaced(facts())
