"""Metrics: what scores segments under a name and a signature."""
