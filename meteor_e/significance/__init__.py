"""Significance tests: resampling of segments, and comparisons of systems on the same segments.

The tests start from the statistics of the segments, so that no segment is aligned again.
See :func:`meteor_e.significance.systems.compare_systems`.
"""
