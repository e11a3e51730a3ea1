"""Tuning: parameters and weights of a chain that agree best with people.

Statistics are computed once (:mod:`.data`); a point of parameters is then a few array operations
(:mod:`.scorer`), which a grid (:mod:`.grid`) or a search (:mod:`.search`) tries by the thousand.
:mod:`.validation` tests the result on held-out data.
"""
