"""Lemmatizers for meteor_e. Each module contains one lemmatizer.

They are in one distribution because each module is a small wrapper of another program or library. The libraries are
optional dependencies.
"""
