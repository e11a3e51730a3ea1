"""Is a difference more than chance? Resampling of segments, and tests of one system against another.

It works on statistics of segments, so that nothing is aligned again: see :func:`compare_systems`.
"""
