from meteor_e_mbr.candidates import NBEST_FORMATS as NBEST_FORMATS, read_candidates as read_candidates
from meteor_e_mbr.choices import Choice as Choice, choices as choices
