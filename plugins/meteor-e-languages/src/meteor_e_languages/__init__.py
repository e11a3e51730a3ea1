"""What languages need beyond meteor_e, each around somebody else's program: lemmatizers, and segmenters into words."""
