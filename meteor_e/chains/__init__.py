"""Chains of matchers: read them from YAML files, mappings or keyword arguments, and complete them with defaults."""
