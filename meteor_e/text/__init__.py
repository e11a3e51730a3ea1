"""Text processing: normalization, segmentation, lemmatization and stemming."""
