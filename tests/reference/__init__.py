"""Naive, literal versions of the algorithms: dense vectors, the papers' lines, no trick."""
