"""Synonyms from DBnary.

:mod:`~meteor_e_languages.dbnary.synsets` reads synset files of METEOR-E and packs, and the matcher ``dbnary`` uses
them. The other modules build such packs from a SPARQL endpoint or from RDF dumps.
"""
