"""Match words by their vectors, as METEOR-E does (Servan et al., 2016).

>>> from meteor_e_vectors import open_vectors
>>> vectors = open_vectors("en.vectors")
>>> vectors["house"]                    # an array of float32
>>> vectors.words[:10]                  # the most frequent words
"""

from meteor_e_vectors.vector_file import VectorFile, open_vectors, write_vectors

__all__ = ["VectorFile", "open_vectors", "write_vectors"]
