"""Readers of input formats: plain text, SGML, WMT XML, COCO JSON, CSV, TSV and n-best lists."""
