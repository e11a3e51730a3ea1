"""Tables with hypotheses and references: Parquet and JSON Lines; and scoring on a Dask cluster.

A table is read and written in batches, so that memory does not grow with the table. ``batches`` defines the interface
of a table format, and ``cells`` validates the cells of any format. ``formats`` lists the formats, ``writers`` writes
them, ``output`` adds the scores of segments, and ``cluster`` scores on a Dask cluster. Importing the package does not
import NumPy or the libraries of the formats.
"""
