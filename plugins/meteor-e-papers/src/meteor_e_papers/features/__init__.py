"""Features of the papers that are reproduced; no shipped model uses them."""
