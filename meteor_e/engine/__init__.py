"""The engines, which align and score batches of segments."""
