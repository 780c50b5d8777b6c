"""
A rare class in a table
=======================

Rank it, believe the figure, set a threshold. One row in thirty is positive and the columns are in very different units.
Nothing is scaled or tuned by hand. The picture at the end needs the extra ``plot``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV
from aucmax.evaluate import ROCDisplay, delong_ci, delong_test

X, y = make_classification(16_000, 15, n_informative=6, weights=[0.97], class_sep=0.8, random_state=1)
X *= 10.0 ** np.linspace(-3, 6, X.shape[1])  # cents, euros, millions
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

# %%
# A false alarm costs 1, a missed case 20: ``predict`` follows that, the ranking does not change.

model = AUCClassifierCV(threshold="cost", costs=(1.0, 20.0)).fit(X_train, y_train)
print("chosen:       ", model.explain_choice())
print("out of fold:  ", model.oof_auc_)
scores = model.decision_function(X_test)
print("test AUC:     ", delong_ci(y_test, scores))

# %%
# Is it better than what is at hand? DeLong's test compares both rankings of the same rows.

rival = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")).fit(X_train, y_train)
test = delong_test(y_test, scores, rival.decision_function(X_test))
print("against balanced logistic regression:", test)

# %%
# The threshold, and the features that weigh most.

found = model.predict(X_test)
print(f"predicted {found.sum()} of {len(found)}; of {y_test.sum()} cases {found[y_test == 1].sum()} are among them")
print(model.summary(5))

# %%
# The curve with its band.

display = ROCDisplay.from_predictions(y_test, scores, name="aucmax", random_state=0)
ROCDisplay.from_predictions(
    y_test, rival.decision_function(X_test), name="balanced logistic", n_resamples=0, ax=display.ax_
)
plt.show()
