"""Synonyms for meteor_e: those of DBnary (:mod:`.dbnary`), and those of WordNets (:mod:`.wordnet`)."""
