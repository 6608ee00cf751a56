"""MADB: scores from frozen encoders with a head on top, and CLAP adapted to comments and tags first."""
