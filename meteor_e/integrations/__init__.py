"""Bridges to the libraries in which people use METEOR today; each imports its library only when it is used."""
