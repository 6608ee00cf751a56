"""The contenders of the loading benchmark: the same clips in every format, decoded by the same function.

An arm has `write(clips, folder)`, which makes its files once, and `loader(place, layer, workers)`, whose iteration is
one epoch in lists of payloads or tensors of waveforms. `place` is a folder, or an address that serves it; an arm that
reads nothing over HTTP says so in `over_http`.
"""

import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pyarrow.parquet as pq
import soundfile
import torch
from torch.utils.data import DataLoader, Dataset

import globalmood
from build.training.payloads import waveforms
from build.training.request import Request
from build.training.sound import convert

BATCH_SIZE = 8  # small, so that few clips make as many batches for each of two workers
FORMS: dict[str, dict[str, Any]] = {"decode": {}, "resample": {"rate_hz": 24_000, "mono": True}}  # `bytes`: as they are
BUILT, TARS = "built", 4
Clip = tuple[str, bytes]


class Collate:
    """Clips -> a batch of a layer, in the worker."""

    def __init__(self, layer: str) -> None:
        self.layer = layer

    def __call__(self, clips: list[dict[str, Any]]) -> Any:
        payloads = [clip["payload"] for clip in clips]
        if self.layer == "bytes":
            return payloads
        views = [memoryview(payload) for payload in payloads]
        return torch.from_numpy(waveforms(views, [clip["song_id"] for clip in clips], Request("", **FORMS[self.layer])))


def _loader(rows: Any, layer: str, workers: int, kind: type = DataLoader) -> Any:
    return kind(
        rows,
        batch_size=BATCH_SIZE,
        num_workers=workers,
        collate_fn=Collate(layer),
        persistent_workers=workers > 0,
    )


def _text(path: str) -> str:
    return urlopen(path).read().decode() if "://" in path else Path(path).read_text()  # noqa: S310 - of this machine


class Limit:
    """What pyarrow and soundfile can do in one process: no batches, no labels, no order."""

    over_http = False

    def write(self, clips: list[Clip], folder: Path) -> None:
        """Nothing: it reads the built folder."""

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """Row group by row group."""
        return RowGroups(sorted(Path(place, BUILT).glob(globalmood.FILES["all"]["train"])), layer)


class RowGroups:
    """The payloads of Parquet files, one after the other, or what they decode to."""

    def __init__(self, paths: list[Path], layer: str) -> None:
        self.paths, self.layer = paths, layer

    def __iter__(self) -> Iterator[list[Any]]:
        for path in self.paths:
            for rows in pq.ParquetFile(path).iter_batches(BATCH_SIZE, columns=["audio"]):
                payloads = [payload for payload in rows["audio"].field("bytes").to_pylist() if payload]
                yield payloads if self.layer == "bytes" else [_decoded(payload, self.layer) for payload in payloads]


def _decoded(payload: bytes, layer: str) -> Any:
    samples, native_hz = soundfile.read(io.BytesIO(payload), dtype="float32", always_2d=True)
    return samples if layer == "decode" else convert(samples, native_hz, **FORMS[layer])


class Heard:
    """The payloads or waveforms of a loader of `globalmood.batches`, without the songs that have no audio."""

    def __init__(self, loader: DataLoader, name: str) -> None:
        self.loader, self.name = loader, name

    def __iter__(self) -> Iterator[Any]:
        for batch in self.loader:
            values, heard = batch[self.name], batch["has_audio"]
            yield values if heard.all() else [value for value, there in zip(values, heard, strict=True) if there]


class Batches:
    """`globalmood.batches`, with its labels."""

    over_http = True

    def write(self, clips: list[Clip], folder: Path) -> None:
        """Nothing: it reads the built folder."""

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """As the README shows it."""
        form = FORMS.get(layer, {"decode": False})
        data = globalmood.batches("korean", batch_size=BATCH_SIZE, data_dir=f"{place}/{BUILT}", **form)
        loader = DataLoader(data, batch_size=None, num_workers=workers, persistent_workers=workers > 0)
        return Heard(loader, "encoded" if layer == "bytes" else "waveform")


class Stream:
    """`datasets`, streaming: the shards as the data card reads them, or one file as push_to_hub writes it."""

    over_http = True

    def __init__(self, one_file: bool) -> None:
        self.one_file = one_file

    def write(self, clips: list[Clip], folder: Path) -> None:
        """One Parquet file with the defaults of `datasets`."""
        if self.one_file:
            from datasets import Audio, load_dataset

            rows = load_dataset(str(folder / BUILT), "korean", split="train")
            rows.cast_column("audio", Audio(decode=False)).to_parquet(folder / "one.parquet")

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """Rows of encoded audio, collated in the worker."""
        from datasets import Audio, load_dataset
        from fsspec.implementations.http import HTTPFileSystem

        HTTPFileSystem.clear_instance_cache()  # whose connections the forked workers of an earlier loader spoiled
        files = ["one.parquet"] if self.one_file else self._shards(place)
        files = [f"{place}/{name}" for name in files]
        columns = ["song_id", "audio"]
        rows = load_dataset("parquet", data_files={"train": files}, split="train", streaming=True, columns=columns)
        rows = rows.cast_column("audio", Audio(decode=False))
        rows = rows.reshard() if hasattr(rows, "reshard") else rows
        rows = rows.filter(lambda audio: audio is not None, input_columns="audio")
        rows = rows.map(lambda audio: {"payload": audio["bytes"]}, input_columns="audio", remove_columns="audio")
        return _loader(rows, layer, workers)

    def _shards(self, place: str) -> list[str]:
        """Paths below the place that have rows; over HTTP they cannot be listed, so the manifest says them."""
        files = json.loads(_text(f"{place}/{BUILT}/MANIFEST.json"))["files"]
        return [f"{BUILT}/{name}" for name in sorted(files) if name.startswith("data/train-") and files[name]["rows"]]


class Indexed(Dataset):
    """Clips by number: the base of what a sampler reads."""

    def __init__(self, place: str, names: list[str]) -> None:
        self.place, self.names = place, names

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index: int) -> dict[str, Any]:
        path = f"{self.place}/{self.names[index]}"
        payload = urlopen(path).read() if "://" in path else Path(path).read_bytes()  # noqa: S310 - of this machine
        return {"song_id": self.names[index], "payload": payload}


class Loose:
    """One FLAC file a clip."""

    over_http = True

    def write(self, clips: list[Clip], folder: Path) -> None:
        """Files by their number, and their names in `loose.txt`."""
        (folder / "loose").mkdir()
        names = [f"loose/{number:05d}.flac" for number in range(len(clips))]
        for name, (_, payload) in zip(names, clips, strict=True):
            (folder / name).write_bytes(payload)
        (folder / "loose.txt").write_text("\n".join(names))

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """A map-style dataset."""
        return _loader(Indexed(place, _text(f"{place}/loose.txt").split()), layer, workers)


class Prepared:
    """`datasets`, map-style: a memory-mapped Arrow table on disk."""

    over_http = False

    def write(self, clips: list[Clip], folder: Path) -> None:
        """What `load_dataset` without streaming prepares."""
        from datasets import Dataset

        columns = {"song_id": [one for one, _ in clips], "payload": [payload for _, payload in clips]}
        Dataset.from_dict(columns).save_to_disk(folder / "arrow")

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """Rows by number."""
        from datasets import load_from_disk

        return _loader(load_from_disk(f"{place}/arrow"), layer, workers)


class WebDataset:
    """Tar files, four of them so that workers have something to share."""

    over_http = True

    def write(self, clips: list[Clip], folder: Path) -> None:
        """Clips in turn, a quarter in each tar."""
        size = -(-len(clips) // TARS)
        for shard in range(TARS):
            with tarfile.open(folder / f"clips-{shard}.tar", "w") as tar:
                for song_id, payload in clips[shard * size : (shard + 1) * size]:
                    entry = tarfile.TarInfo(f"{song_id}.flac")
                    entry.size = len(payload)
                    tar.addfile(entry, io.BytesIO(payload))

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """The library's own pipeline, with the common collate."""
        import webdataset

        rows = webdataset.WebDataset(f"{place}/clips-{{0..{TARS - 1}}}.tar", shardshuffle=False, empty_check=False)
        return _loader(rows.map(_named_clip), layer, workers)


def _named_clip(sample: dict[str, Any]) -> dict[str, Any]:
    return {"song_id": sample["__key__"], "payload": sample["flac"]}


class Mosaic:
    """MosaicML Streaming: MDS shards."""

    over_http = False

    def write(self, clips: list[Clip], folder: Path) -> None:
        """Shards of the default size."""
        from streaming import MDSWriter

        with MDSWriter(out=str(folder / "mds"), columns={"song_id": "str", "payload": "bytes"}) as writer:
            for song_id, payload in clips:
                writer.write({"song_id": song_id, "payload": payload})

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """The library's dataset in PyTorch's loader."""
        from streaming import StreamingDataset
        from streaming.base.util import clean_stale_shared_memory

        clean_stale_shared_memory()
        return _loader(StreamingDataset(local=f"{place}/mds", batch_size=BATCH_SIZE, shuffle=False), layer, workers)


class Lit:
    """LitData: chunks."""

    over_http = False

    def write(self, clips: list[Clip], folder: Path) -> None:
        """Chunks of 64 MB, the default size of MDS."""
        from litdata.streaming.cache import Cache

        cache = Cache(str(folder / "lit"), chunk_bytes="64MB")
        for number, (song_id, payload) in enumerate(clips):
            cache[number] = {"song_id": song_id, "payload": payload}
        cache.done()
        cache.merge()

    def loader(self, place: str, layer: str, workers: int) -> Iterable[Any]:
        """The library's dataset and loader."""
        from litdata import StreamingDataLoader, StreamingDataset

        return _loader(StreamingDataset(f"{place}/lit", shuffle=False), layer, workers, StreamingDataLoader)


ARMS = {
    "limit": Limit(),
    "batches": Batches(),
    "streaming": Stream(one_file=False),
    "one file": Stream(one_file=True),
    "map-style": Prepared(),
    "loose files": Loose(),
    "WebDataset": WebDataset(),
    "MDS": Mosaic(),
    "LitData": Lit(),
}
PEERS = ("WebDataset", "MDS", "LitData")
