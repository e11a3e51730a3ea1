"""Lemmatizers for meteor_e. Each module contains one lemmatizer.

The lemmatizers share one distribution, because each module is a small wrapper around another program or library. The
libraries are optional dependencies.
"""
