"""Command-line interface of the plugin."""
