"""Chains: from a YAML file, a mapping or keyword arguments to everything that decides a score."""
