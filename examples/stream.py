"""
A stream
========

Learn from every chunk once, and know at each moment how well the next one will be ranked. The picture at the end needs
the extra ``plot``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from aucmax import AUCClassifier
from aucmax.evaluate import roc_auc


def recent_auc(ranked):
    return roc_auc(np.concatenate([a for a, _ in ranked[-5:]]), np.concatenate([b for _, b in ranked[-5:]]))


X, y = make_classification(40_000, 20, n_informative=8, weights=[0.97], class_sep=0.7, random_state=1)
X *= 10.0 ** np.linspace(-4, 4, X.shape[1])

# %%
# Each chunk is ranked first and learnt afterwards, so that the figures are honest.

model = AUCClassifier()  # partial_fit has no step size to set
seen, ranked, aucs = 0, [], []
for k in range(0, len(y), 1000):
    chunk, labels = X[k : k + 1000], y[k : k + 1000]
    if seen:  # rank it first, learn from it afterwards
        ranked.append((labels, model.decision_function(chunk)))
        aucs.append(recent_auc(ranked))
    model.partial_fit(chunk, labels, classes=[0, 1])
    seen += len(labels)
    if seen in (2000, 5000, 10_000, 20_000, 40_000):
        print(f"after {seen:>6} rows: AUC of the last chunks before they were learnt {aucs[-1]:.4f}")

# %%
# What was lost by seeing each row once?

whole = AUCClassifier(loss="square", l2=model.l2_).fit(X, y)
print(
    f"the stream's model ranks all rows with {model.score(X, y):.4f}, one fitted to all at once {whole.score(X, y):.4f}"
)

# %%
# The AUC of the latest rows, after every chunk.

figure, ax = plt.subplots(layout="constrained")
ax.plot(np.arange(2000, len(y) + 1, 1000), aucs, marker=".")
ax.set(xlabel="rows seen", ylabel="AUC of the latest 5,000 before they were learnt")
plt.show()
