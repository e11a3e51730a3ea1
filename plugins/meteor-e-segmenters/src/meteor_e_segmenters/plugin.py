"""The hook. The module of a segmenter, and its library, are imported when a language uses it."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_segmenters() -> dict[str, str]:
    """Return segmenters by name."""
    return {
        "jieba": "meteor_e_segmenters.chinese:JiebaSegmenter",
        "fugashi": "meteor_e_segmenters.japanese:FugashiSegmenter",
    }
