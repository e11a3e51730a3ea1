"""Registers the caption tokenizer and the caption metrics as plugins."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_segmenters() -> dict[str, str]:
    """Return the segmenter that tokenizes image captions."""
    return {"ptb": "meteor_e_captions.segmenter:PTBSegmenter"}


@hookimpl
def meteor_e_metrics() -> dict[str, str]:
    """Return the metrics that evaluate captions."""
    return {
        "coco": "meteor_e_captions.coco_metric:CocoMetric",
        "cider": "meteor_e_captions.coco_metric:Cider",
        "rouge-l": "meteor_e_captions.coco_metric:RougeL",
        "caption-light": "meteor_e_captions.metric:CaptionLight",
        "caption-context": "meteor_e_captions.metric:CaptionContext",
    }
