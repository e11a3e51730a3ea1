"""How results are written: text, TSV, CSV, JSON, Markdown, LaTeX and score files of WMT."""
