"""A tokenizer whose tokens are those of Stanford's PTB tokenizer (CoreNLP 3.4.1) for image captions.

It was written from the output of the Java program alone. ``benchmarks/parity/ptb_tokens.py`` compares the two.
"""

from meteor_e_captions.ptb.tokenizer import PUNCTUATION, Tokenizer

__all__ = ["PUNCTUATION", "Tokenizer"]
