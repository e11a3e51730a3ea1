"""Features of segments, from which models compute their scores."""
