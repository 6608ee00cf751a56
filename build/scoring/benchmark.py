"""`eval.yaml`: how the Hub learns that a dataset is a benchmark, and which of its configs and splits are scored.

Format: https://huggingface.co/docs/hub/eval-results ("Registering a Benchmark"), where the framework may be one's own.
The Hub lists a benchmark once its team has added the dataset by hand.
"""

import yaml

from build.errors import InputError

FRAMEWORK = "globalmood"  # this repository's own scorer
FILE = "eval.yaml"
ABOUT = {
    "globalmood": (
        "GlobalMood",
        "Predict how listeners of five cultures rate the moods of 15-second music excerpts, on mood terms of their "
        "own languages. The value of a task is Pearson's r over test songs within a term, averaged over the terms of a "
        "language (all: over languages too), as printed by `python -m build score FILE --task globalmood:LANGUAGE`.",
    ),
    "madb": (
        "MADB",
        "Predict mean aesthetics scores of music tracks in ten dimensions and overall. The value of the task is "
        "Pearson's r over validation tracks within a dimension, averaged over dimensions, as in the result of "
        "`python -m build score FILE --task madb`; squared errors and rank correlations stand beside it.",
    ),
}


def eval_yaml(dataset: str, configs: dict[str, str]) -> str:
    """The text of `eval.yaml` for a dataset; `configs` is config -> its scored split, each a task of that name."""
    if dataset not in ABOUT:
        raise InputError(f"there is no benchmark {dataset!r}; there are {', '.join(ABOUT)}")
    name, description = ABOUT[dataset]
    content = {
        "name": name,
        "description": description,
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": config, "config": config, "split": split} for config, split in configs.items()],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
