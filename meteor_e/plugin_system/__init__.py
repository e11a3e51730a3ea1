"""Plugins: hooks, what they return, and the registry of names."""
