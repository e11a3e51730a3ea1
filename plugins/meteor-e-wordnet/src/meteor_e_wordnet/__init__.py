"""Synonyms from Princeton WordNet and the Open Multilingual WordNet for meteor_e.

:mod:`~meteor_e_wordnet.sources` finds the data, :mod:`~meteor_e_wordnet.princeton` and
:mod:`~meteor_e_wordnet.multilingual` read it, :mod:`~meteor_e_wordnet.matcher` has the matcher.
"""
