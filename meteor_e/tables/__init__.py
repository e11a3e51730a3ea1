"""Tables with hypotheses and references: Parquet, JSON Lines, Hugging Face ``datasets``, pandas.

A table is read in batches and written in batches, so that memory does not grow with it. Imports point one way:
``kinds`` tells a table by its name and first bytes and needs no library, ``columns`` and ``cells`` know no format,
``batches`` what a format gives, the formats each other not, and ``sources`` and ``writers`` choose among them.
"""
