"""Writes hmeasure_inputs.csv and hmeasure_outputs.csv: ``python hmeasure_cases.py`` (numpy, hmeasure)."""

import csv

import numpy as np

RATIOS = (None, 0.3, 1.0, 4.0)


def main():
    from hmeasure import h_score  # here, so that the file can be imported without it

    rng = np.random.default_rng(9)
    with open("hmeasure_inputs.csv", "w", newline="") as inputs, open("hmeasure_outputs.csv", "w", newline="") as out:
        rows, results = csv.writer(inputs, lineterminator="\n"), csv.writer(out, lineterminator="\n")
        rows.writerow(["case", "y", "score"])
        results.writerow(["case", "severity_ratio", "h"])
        for case, (n, share, shift, digits) in enumerate(
            [(40, 0.5, 1.0, 6), (60, 0.2, 1.0, 1), (30, 0.4, 2.0, 6), (50, 0.3, 0.3, 2)]
        ):
            y = (np.arange(n) < share * n).astype(int)
            scores = np.round(1.0 / (1.0 + np.exp(-rng.standard_normal(n) - shift * y)), digits)
            rows.writerows([case, *row] for row in zip(y.tolist(), scores.tolist(), strict=True))
            for ratio in RATIOS:
                results.writerow([case, "" if ratio is None else ratio, repr(float(h_score(y, scores, ratio)))])


if __name__ == "__main__":
    main()
