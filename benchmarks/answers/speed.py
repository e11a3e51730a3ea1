"""Measure how many answers per second metrics score in one thread.

The first round includes the time in which models and resources are loaded and new words are stemmed. The other rounds
show the speed of a running program. All times are processor times.

    python benchmarks/answers/speed.py ../shared/data/answers/triviaqa-judged.jsonl.gz -M answer-light -M answer
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from meteor_e_learned.answers import JudgedAnswer, load_answers

from meteor_e import load_metric


def measure_rounds(metric_name: str, answers: list[JudgedAnswer], max_references: int, rounds: int) -> list[float]:
    """Score all answers several times, and return the answers per second of each round.

    Args:
        metric_name: name of the metric.
        answers: the answers.
        max_references: number of acceptable answers per question that are used.
        rounds: number of rounds.
    """
    metric = load_metric(metric_name, threads=1)
    texts = [answer.answer for answer in answers]
    references = [answer.references[:max_references] for answer in answers]
    questions = [answer.question for answer in answers]
    rates = []
    for _ in range(rounds):
        start = time.process_time()
        metric.corpus(texts, references, questions)
        rates.append(len(answers) / (time.process_time() - start))
    return rates


def main() -> None:
    """Measure the speed of the metrics that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=Path, help="judged answers (JSON Lines)")
    parser.add_argument("-M", "--metric", action="append", help="a metric (default: answer-light and answer)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (default: 5)")
    arguments = parser.parse_args()
    answers = load_answers(arguments.answers)
    most_references = max(len(answer.references) for answer in answers)
    for metric_name in arguments.metric or ["answer-light", "answer"]:
        for max_references in (2, most_references):
            rates = measure_rounds(metric_name, answers, max_references, arguments.rounds)
            all_rates = ", ".join(f"{rate:,.0f}" for rate in rates)
            print(f"{metric_name}, at most {max_references} acceptable answers: {all_rates} answers per second")


if __name__ == "__main__":
    main()
