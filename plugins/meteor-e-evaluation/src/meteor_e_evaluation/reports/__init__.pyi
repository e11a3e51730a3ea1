from meteor_e_evaluation.reports.page import write_page as write_page, write_report as write_report
from meteor_e_evaluation.reports.scored import (
    SystemTests as SystemTests,
    Report as Report,
    score_systems as score_systems,
)
from meteor_e_evaluation.reports.scored_system import ScoredSystem as ScoredSystem
