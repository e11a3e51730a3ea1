"""Files and streams: plain text, SGML, WMT XML, alignments, the stdio protocol, Java's numbers."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
