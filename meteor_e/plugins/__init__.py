"""Plugins: how they are found and loaded, and the registry of what they bring."""
