"""Resource packs: function words, prefixes, synonyms and paraphrases of a language, memory-mapped.

A pack is a folder with a manifest. :class:`PackStore` installs, finds, verifies and removes packs.
``docs/index-format.md`` describes the indexes of a pack. Reading an index does not import numpy or the modules that
download and build packs.
"""
