from meteor_e.mbr.candidates import NBEST_FORMATS as NBEST_FORMATS, read_candidates as read_candidates
from meteor_e.mbr.decisions import Choice as Choice, choices as choices
