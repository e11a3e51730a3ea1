"""Synonyms from DBnary.

:mod:`~meteor_e_languages.dbnary.synsets` reads METEOR-E's synset files, and the matcher matches words by them. The
other modules make such synsets from the SPARQL endpoint, a Turtle dump, or METEOR-E's files.
"""
