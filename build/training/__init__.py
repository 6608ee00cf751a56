"""Batches for a trainer, straight from the published shards: exact, resumable, decoded where they are used.

    shards ──▶ songs: labels, pages ──seed, epoch──▶ order ──rank, batch size──▶ batch k ──▶ payloads ──▶ waveforms

`pages` and `order` are pure, `files` reads, `sound` decodes, and `batches` is what `globalmood.batches` returns.
"""
