"""Read chains of matchers from YAML files, mappings or keyword arguments, and complete them with defaults."""
