"""Find and load plugins, and register the components, commands and languages that they add."""
