"""Tokens of the Penn Treebank, as Stanford's tokenizer (CoreNLP 3.4.1) makes them for image captions.

Written from the Java program's output alone; ``benchmarks/parity/ptb_tokens.py`` compares the two.
"""

from meteor_e_captions.ptb.tokenizer import PUNCTUATION, Tokenizer

__all__ = ["PUNCTUATION", "Tokenizer"]
