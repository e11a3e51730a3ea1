"""A tokenizer that produces the same tokens as Stanford's PTB tokenizer (CoreNLP 3.4.1) for image captions.

The rules of the tokenizer were derived only from the output of the Java program. The script
``benchmarks/parity/ptb_tokens.py`` compares the tokens of both programs.
"""

from meteor_e_captions.ptb.tokenizer import PUNCTUATION, Tokenizer

__all__ = ["PUNCTUATION", "Tokenizer"]
