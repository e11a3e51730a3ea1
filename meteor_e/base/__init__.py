"""What everything else stands on: errors, YAML, files, folders, caches, progress. It knows nothing of METEOR."""
