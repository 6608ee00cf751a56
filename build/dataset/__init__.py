"""The built folder: rows put together, Parquet shards, manifest, card, and the swap that makes it appear at once."""
