"""Files and streams: plain text, SGML, WMT XML, alignments, the stdio protocol, Java's numbers."""
