"""Compute rewards for a captioning model. Captions are scored with the references of their images.

    python examples/caption_rewards.py

Self-critical training (Rennie et al., 2017) samples captions for a batch of images. A caption's reward is its score
minus the score of the greedy caption. The program loads the metric once. A metric does not keep a process or a file
open, so each worker process may load its own metric. ``caption-light`` needs METEOR's English pack
(``meteor-e pack install en``) and a plugin (``pip install ./plugins/meteor-e-captions``).
"""

from __future__ import annotations

from meteor_e import load_metric

REFERENCES = {
    "horse": ["A man is riding a brown horse.", "The man's horse runs through a field."],
    "dogs": ["Two dogs play in the snow.", "Two brown dogs are running outside."],
}
GREEDY_CAPTIONS = {"horse": "a man on a horse", "dogs": "two dogs in the"}
SAMPLED_CAPTIONS = {
    "horse": ["a man rides a horse in a field", "a man and a man on a horse", "a woman rides a horse"],
    "dogs": ["two dogs play in snow", "two dogs and a", "two cats play in the snow"],
}


def main() -> None:
    """Print the reward of each sampled caption."""
    metric = load_metric("caption-light")
    samples = [(image, caption) for image, captions in SAMPLED_CAPTIONS.items() for caption in captions]
    # One call scores the sampled captions and then the greedy captions.
    batch = [*samples, *GREEDY_CAPTIONS.items()]
    captions = [caption for _, caption in batch]
    references = [REFERENCES[image] for image, _ in batch]
    scores = metric.corpus(captions, references, segments=True).segment_scores.tolist()
    sample_scores, greedy_scores = scores[: len(samples)], scores[len(samples) :]
    baseline = dict(zip(GREEDY_CAPTIONS, greedy_scores, strict=True))
    for (image, caption), score in zip(samples, sample_scores, strict=True):
        print(f"{score - baseline[image]:+.3f}  {image}: {caption}")


if __name__ == "__main__":
    main()
