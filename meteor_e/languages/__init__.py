"""Language definitions, read from YAML files."""
