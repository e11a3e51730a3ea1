"""Align and score batches of segments with the Python engine or the native engine."""
