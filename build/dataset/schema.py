"""The published types in the three notations that travel with the data: Arrow schema, Parquet footer, card YAML.

`datasets` 3.6 reads lists of a fixed length only from footers that call them `Sequence` and from YAML that says
`sequence:` with `length:`; later versions read these too.
"""

import json
from typing import Any

import pyarrow as pa
from datasets import Features


def arrow_schema(features: Features) -> pa.Schema:
    """Arrow types of `features`, with the footer from which `datasets` knows its own types when it reads the file."""
    footer = {"info": {"features": {name: _in_footer(feature) for name, feature in features.items()}}}
    return features.arrow_schema.with_metadata({"huggingface": json.dumps(footer)})


def yaml_features(features: Features) -> list[dict[str, Any]]:
    """`features` as they stand under `dataset_info` in a card."""
    return [{"name": name, **_in_yaml(feature)} for name, feature in features.items()]


def _in_footer(feature: Any) -> dict[str, Any]:
    if isinstance(feature, dict):
        return {name: _in_footer(inner) for name, inner in feature.items()}
    if hasattr(feature, "feature"):
        length = {"length": feature.length} if feature.length >= 0 else {}
        return {"feature": _in_footer(feature.feature), **length, "_type": "Sequence"}
    if hasattr(feature, "sampling_rate"):
        return {"sampling_rate": feature.sampling_rate, "_type": "Audio"}
    return {"dtype": feature.dtype, "_type": "Value"}


def _in_yaml(feature: Any) -> dict[str, Any]:
    if isinstance(feature, dict):
        return {"struct": [{"name": name, **_in_yaml(inner)} for name, inner in feature.items()]}
    if hasattr(feature, "feature"):
        length = {"length": feature.length} if feature.length >= 0 else {}
        return {"sequence": feature.feature.dtype, **length}
    if hasattr(feature, "sampling_rate"):
        return {"dtype": {"audio": {"sampling_rate": feature.sampling_rate}} if feature.sampling_rate else "audio"}
    return {"dtype": feature.dtype}
