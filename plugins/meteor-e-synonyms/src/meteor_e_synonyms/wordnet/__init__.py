"""Synonyms from Princeton WordNet and the Open Multilingual WordNet for meteor_e.

:mod:`~meteor_e_synonyms.wordnet.sources` finds the data, :mod:`~meteor_e_synonyms.wordnet.princeton` and
:mod:`~meteor_e_synonyms.wordnet.multilingual` read it, :mod:`~meteor_e_synonyms.wordnet.matcher` has the matcher.
"""
