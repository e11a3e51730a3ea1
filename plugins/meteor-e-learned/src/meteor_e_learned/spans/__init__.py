"""Error spans: which parts of a hypothesis are probably wrong, read from its alignment with the references."""

from meteor_e_learned.spans.find import Found, Missing, Span, Spans

__all__ = ["Found", "Missing", "Span", "Spans"]
