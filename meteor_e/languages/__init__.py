"""Language definitions, which are read from YAML files."""
