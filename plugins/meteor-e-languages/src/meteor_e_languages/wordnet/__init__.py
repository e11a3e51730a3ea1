"""Synonyms from Princeton WordNet and the Open Multilingual WordNet.

The module :mod:`~meteor_e_languages.wordnet.sources` finds the data. The data is read by
:mod:`~meteor_e_languages.wordnet.princeton` and :mod:`~meteor_e_languages.wordnet.multilingual`. The matcher is defined
in :mod:`~meteor_e_languages.wordnet.matcher`.
"""
