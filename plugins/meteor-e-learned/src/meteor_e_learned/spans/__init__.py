"""Error spans: which parts of a hypothesis are probably wrong, read from its alignment with the references."""
