"""The engines: batches of segments in, statistics and scores out."""
