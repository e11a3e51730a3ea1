"""Features that the founding papers use."""
