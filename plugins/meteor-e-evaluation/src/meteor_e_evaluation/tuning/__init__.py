"""Tuning: parameters and matcher weights of a chain that agree best with people.

Statistics are computed only once (:mod:`.data`). Scoring at a point of parameters is then a few array operations
(:mod:`.scorer`), so a grid (:mod:`.grid`) or a search (:mod:`.search`) evaluates thousands of points.
:mod:`.validation` measures the result on held-out data.
"""
