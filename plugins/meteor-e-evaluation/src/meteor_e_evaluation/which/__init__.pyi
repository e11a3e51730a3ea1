from meteor_e_evaluation.which.candidates import (
    Candidate as Candidate,
    Texts as Texts,
    every_meteor as every_meteor,
)
from meteor_e_evaluation.which.methods import Methods as Methods
from meteor_e_evaluation.which.reported import Reported as Reported
from meteor_e_evaluation.which.search import (
    Evidence as Evidence,
    Findings as Findings,
    Group as Group,
    Row as Row,
    matching as matching,
    which as which,
)
from meteor_e_evaluation.which.signatures import (
    Check as Check,
    check_signature as check_signature,
    parse_signature as parse_signature,
)
