"""Read and write tables with hypotheses and references, and score segments on a Dask cluster.

Tables are read and written in batches, so that the memory usage does not depend on their size. The module ``batches``
defines the interface of a table format, ``cells`` validates cells, ``formats`` defines the formats, ``writers`` writes
tables, ``output`` adds the scores of segments, and ``cluster`` scores on a Dask cluster.

Importing the package does not import NumPy or the libraries that read tables.
"""
