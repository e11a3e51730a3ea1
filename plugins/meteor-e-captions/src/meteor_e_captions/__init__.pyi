from meteor_e_captions.ptb import PUNCTUATION as PUNCTUATION
from meteor_e_captions.ptb import Tokenizer as Tokenizer
from meteor_e_captions.segmenter import PTBSegmenter as PTBSegmenter
