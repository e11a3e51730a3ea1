from meteor_e.mbr.nbest import NBEST_FORMATS as NBEST_FORMATS, read_candidates as read_candidates
from meteor_e.mbr.decoding import Choice as Choice, choices as choices
