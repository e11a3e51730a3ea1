"""Resource packs, which contain the function words, prefixes, synonyms and paraphrases of a language.

A pack is a folder with the file ``manifest.json``. :class:`PackStore` installs, finds, verifies and removes packs. The
file ``docs/index-format.md`` describes the binary files of a pack. Reading them does not require NumPy.
"""
