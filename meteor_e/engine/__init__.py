"""The engines: chunks of segments in, statistics and scores out."""
