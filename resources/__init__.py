"""Languages and chains, as data."""
