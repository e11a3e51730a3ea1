"""Lemmatizers for meteor_e, each in a module of its own.

They are one distribution because each is a page of code around somebody else's program; what they stand on is
optional, so that nobody installs what they do not use.
"""
