"""The Java program's options, files and protocol."""
