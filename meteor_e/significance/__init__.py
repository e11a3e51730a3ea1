"""Significance tests of differences between systems.

The main function is :func:`meteor_e.significance.systems.compare_systems`.
"""
