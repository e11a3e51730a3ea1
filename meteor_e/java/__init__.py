"""Reproduce the command line, the files and the stdio protocol of METEOR 1.5, which is a Java program."""
