"""Tables with hypotheses and references: Parquet and JSON Lines; and scoring on a Dask cluster.

A table is read in batches and written in batches, so that memory does not grow with it. ``cells`` knows no format,
``batches`` what a format gives; ``formats`` and ``writers`` choose among the formats, ``output`` writes the scores of
segments, and ``cluster`` shares the work out. Importing the package alone imports nothing heavy.
"""
