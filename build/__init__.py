"""The build pipeline of GlobalMood: `python -m build VERB`, run from the repository's root.

    charts ──select──▶ songs ──plan/fetch──▶ audio cache ──excerpt──▶ clips ─┐
    chains ──elicit──▶ lexicon ──top 20──▶ terms ─┐                          ├─ assemble ─▶ shards ─▶ card ─▶ publish
    ratings ──────────summarise───────────────────┴──────▶ cells ────────────┘

Every arrow is a function from tables to tables (schemas in `build.tables`) that returns what it kept
and what it dropped, with a reason for each dropped row. Files, network and codecs stay in the modules
that are named for them.
"""

import os

# Arrow's own allocators keep a hundred megabytes that are freed; the system's gives them back. Arrow reads this once.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
