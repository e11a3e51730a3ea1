"""Languages: what METEOR knows of each, read from YAML files."""
