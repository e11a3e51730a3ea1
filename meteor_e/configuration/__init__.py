"""Configuration as people write it, chains and YAML files, read and checked."""
