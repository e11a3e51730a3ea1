"""File formats: plain text, SGML, WMT XML, COCO JSON, CSV and TSV, n-best lists, and scores of the metrics task."""
