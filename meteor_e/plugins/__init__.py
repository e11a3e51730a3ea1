"""Plugins: how they are found and loaded, and the registry of what they bring."""

from meteor_e.plugins.registry import Registry, plugin_registry

__all__ = ["Registry", "plugin_registry"]
