"""Synonyms from Princeton WordNet and the Open Multilingual WordNet.

:mod:`~meteor_e_languages.wordnet.sources` finds the data, :mod:`~meteor_e_languages.wordnet.princeton` and
:mod:`~meteor_e_languages.wordnet.multilingual` read it, and :mod:`~meteor_e_languages.wordnet.matcher` contains the
matcher.
"""
