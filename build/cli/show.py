"""`show`: load a built folder as a user would, and print one row."""

from pathlib import Path
from typing import Annotated

import typer

from build.cli import app
from build.errors import InputError
from build.terminal import console, one_line

MOST = 3  # terms to print


@app.command()
def show(
    folder: Annotated[str, typer.Argument(help="A built folder.")] = "globalmood",
    language: Annotated[str, typer.Option("--language", help="Config to load.")] = "korean",
) -> None:
    """Load a built folder with `load_dataset` and print its first song with audio and its highest terms.

    Example: `python -m build show globalmood --language arabic`
    """
    import numpy as np
    from datasets import Audio, disable_progress_bars, load_dataset

    import globalmood

    if language not in globalmood.STATISTICS:
        raise InputError(f"--language {language}: there are {', '.join(globalmood.STATISTICS)}")
    if not Path(folder, "MANIFEST.json").is_file():
        raise InputError(f"{folder}: no built dataset. {globalmood.HOW_TO_GET}")
    disable_progress_bars()
    songs = load_dataset(folder, language)
    console.print(f"{folder}, {language}: {', '.join(f'{split} {len(rows)}' for split, rows in songs.items())}")
    train = songs["train"].cast_column("audio", Audio(decode=False))
    heard = [index for index, status in enumerate(train["status"]) if status == "ok"]
    row = train[heard[0] if heard else 0]
    sound, rate_hz = globalmood.waveform(row["audio"])
    console.print(
        f"title: {one_line(row['title'])}\ncountry: {row['country']}\nexcerpt: {sound.shape[1] / rate_hz:g} s"
    )
    console.print(f"loudness: {row['loudness_out_lufs']:.1f} LUFS" if heard else f"no audio: {row['status']}")
    means = np.array(row[language]["mean"], dtype=float)
    vocabulary = globalmood.terms(language, data_dir=folder)
    for place in np.argsort(np.nan_to_num(-means), kind="stable")[:MOST] if len(vocabulary) else ():
        term = vocabulary.iloc[place]
        console.print(one_line(f"{term['term']} ({term['translation'] or term['term']}): {means[place]:.2f}"))
