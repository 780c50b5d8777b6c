"""
Sparse text
===========

Which docstrings are about sparse matrices? The texts are the docstrings of numpy and scipy, which are on every machine
that runs this. There are many more words than texts, and one text in ten is positive. The picture at the end needs the
extra ``plot``.
"""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import scipy.cluster
import scipy.interpolate
import scipy.linalg
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
import scipy.stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

from aucmax import AUCClassifier
from aucmax.evaluate import delong_ci


def docstrings(*modules):
    found = {inspect.getdoc(getattr(module, name)) for module in modules for name in dir(module) if name[0] != "_"}
    return sorted(text for text in found if text and len(text) > 200)


positive = docstrings(scipy.sparse, scipy.sparse.linalg, scipy.sparse.csgraph)
negative = docstrings(np, np.linalg, np.fft, scipy.linalg, scipy.stats, scipy.interpolate, scipy.cluster)
texts = positive + negative
y = np.array(["sparse"] * len(positive) + ["another"] * len(negative))
train, test = train_test_split(np.arange(len(y)), random_state=0, stratify=y)

# %%
# Words become columns, nearly all of them zero in any one text.

words = TfidfVectorizer(min_df=2, stop_words=["sparse", "csr", "csc", "matrix"])  # the obvious words are left out
X_train = words.fit_transform([texts[i] for i in train])
X_test = words.transform([texts[i] for i in test])
print(f"{X_train.shape[0]} texts, {X_train.shape[1]} words, {np.mean(y == 'sparse'):.1%} about sparse matrices")

# %%
# Sparse rows are used as they are.

model = AUCClassifier().fit(X_train, y[train])
print("chosen:  ", model.explain_choice())
print("test AUC:", delong_ci(y[test] == "sparse", model.decision_function(X_test)))

# %%
# The words that tell most: those with weight above zero speak for sparse matrices.

table = model.summary(10)
telling = [words.get_feature_names_out()[int(name[1:])] for name in table.feature]
print("telling words:", ", ".join(telling))
figure, ax = plt.subplots(layout="constrained")
ax.barh(telling[::-1], table.weight[::-1])
ax.set_xlabel("weight")
plt.show()
