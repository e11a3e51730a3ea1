"""Lemmatizers for meteor_e, each in a module of its own.

They are in one distribution because each module is a small wrapper of another program or library. The libraries are
optional dependencies.
"""
