from build.synthetic.seeds import generator


def test_the_same_purpose_gives_the_same_numbers() -> None:
    assert generator(3, "music", 17).random(5).tolist() == generator(3, "music", 17).random(5).tolist()


def test_purposes_that_look_alike_when_joined_differ() -> None:
    first = [generator(*key).random() for key in [(1, "a", 11), (1, "a", 1, 1), (11, "a", 1), (1, "a1", 1)]]
    assert len(set(first)) == 4
