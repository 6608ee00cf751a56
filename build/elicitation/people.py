"""Who took part in the elicitation chains."""

import pyarrow as pa
import pyarrow.compute as pc

from build.tables import PARTICIPANTS, conform

STAGE = "elicitation"


def elicitors(chains: pa.Table) -> pa.Table:
    """PARTICIPANTS of chains (CHAINS), by language and number: `n_trials` counts steps, `n_ratings` ratings."""
    acts = chains.append_column("n_ratings", pc.equal(chains["action"], "rate").cast(pa.int32()))
    who, where = ["language", "participant"], ["song_id", "chain_set", "chain", "step"]
    steps = acts.group_by(who + where).aggregate([("n_ratings", "sum")])
    people = steps.group_by(who).aggregate([("n_ratings_sum", "sum"), ("step", "count")])
    people = people.rename_columns({"n_ratings_sum_sum": "n_ratings", "step_count": "n_trials"})
    people = people.append_column("stage", pa.array([STAGE] * people.num_rows, pa.string()))
    people = people.append_column("flags", pa.array([[]] * people.num_rows, pa.list_(pa.string())))
    return conform(people, PARTICIPANTS).sort_by([(name, "ascending") for name in who])
