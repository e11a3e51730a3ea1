"""METEOR and other metrics over HTTP, for programs that are not Python: ``meteor-e serve``."""
