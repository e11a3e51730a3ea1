from meteor_e_evaluation.which.candidates import Candidate as Candidate
from meteor_e_evaluation.which.reported import Reported as Reported
from meteor_e_evaluation.which.search import Findings as Findings, Row as Row, which as which
