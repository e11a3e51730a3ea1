"""Tunes the parameters and the matcher weights of a chain to human judgments.

The words are aligned and counted only once (:mod:`.data`), so that a grid (:mod:`.grid`) or a search (:mod:`.search`)
can score thousands of parameter settings (:mod:`.scorer`). :mod:`.validation` evaluates the result on held-out data.
"""
