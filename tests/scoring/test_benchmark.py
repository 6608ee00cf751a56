import pytest
import yaml

from build.errors import InputError
from build.scoring.benchmark import eval_yaml


def test_every_task_names_a_config_and_a_split():
    content = yaml.safe_load(eval_yaml("globalmood", {"all": "test", "korean": "test"}))
    assert set(content) == {"name", "description", "evaluation_framework", "tasks"}
    assert content["tasks"][1] == {"id": "korean", "config": "korean", "split": "test"}


def test_another_dataset_is_refused():
    with pytest.raises(InputError, match="no benchmark 'deam'; there are globalmood, madb"):
        eval_yaml("deam", {})
