"""Resource packs, which contain the function words, prefixes, synonyms and paraphrases of a language.

A pack is a folder with a manifest. :class:`PackStore` installs, finds, verifies and removes packs.
``docs/index-format.md`` describes the indexes of a pack. Reading an index does not import NumPy or the modules that
download and build packs.
"""
