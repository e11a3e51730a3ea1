"""Find and load plugins, and register the components, commands, languages and chains that they provide."""
