"""Features that meteor_e brings, and what turns a list of features into a matrix.

The base classes are in :mod:`meteor_e.api.features`.
"""
