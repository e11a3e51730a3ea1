"""This package writes text, TSV, CSV, JSON, Markdown, LaTeX, and score files of the WMT metrics task."""
