"""Tunes the parameters and the matcher weights of a METEOR chain to agree with human judgments.

Words are aligned only once (:mod:`.data`). Afterwards, a grid (:mod:`.grid`) or a search (:mod:`.search`) scores
thousands of parameter settings (:mod:`.scorer`).

The module :mod:`.validation` evaluates the tuned parameters on held-out data.
"""
