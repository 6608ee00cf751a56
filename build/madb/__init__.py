"""MADB, the second dataset: aesthetics scores of music tracks, with comments and tags, built into `madb/`."""
