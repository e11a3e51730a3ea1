from meteor_e.java.alignments import format_alignment as format_alignment
