"""The compiled core: rows, weights, proximal maps, moments and the one loop that drives every algorithm."""
