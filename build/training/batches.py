"""The batches of an epoch: fixed by seed, epoch, batch size and rank, whoever reads them and wherever they start."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from build.training.batch import Batch, as_tensors
from build.training.files import Files
from build.training.order import epoch_order, share_of
from build.training.payloads import read_payloads, waveforms
from build.training.request import Request
from build.training.songs import read_songs

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError:  # plain iteration needs no torch
    torch, IterableDataset = None, object

    def get_worker_info() -> None:
        """Without torch nobody is a DataLoader's worker."""


FIXED = ("split", "batch_size", "shuffle", "world_size", "ranks")  # what a state belongs to, the data apart


class Batches(IterableDataset):
    """What `globalmood.batches` returns; see there. Labels are read at once, sound when it is iterated."""

    _start_of: int | None

    def __init__(self, request: Request) -> None:
        self.languages = request.languages
        self._request = request
        self._epoch: Any = np.array(request.epoch) if torch is None else torch.tensor(request.epoch)
        self._share_epoch()
        self._files = Files(request.root)
        self._songs = read_songs(self._files, request.split, request.languages)
        self._step = 1  # from a batch to the next one of this process
        self._begin()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What was pickled, with an epoch of its own."""
        self.__dict__.update(state)
        self._share_epoch()

    def __len__(self) -> int:
        """Batches of a whole epoch, for this rank."""
        rows, _ = self._share(np.arange(len(self._songs.ids)))
        return -(-len(rows) // self._request.batch_size)

    @property
    def epoch(self) -> int:
        """The epoch of the next pass."""
        return int(self._epoch)

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of `epoch`; stay where `load_state_dict` has led if that is in this epoch.

        Workers that outlive a pass (`persistent_workers=True`) hear of it too.
        """
        self._epoch[...] = epoch
        if self._start_epoch != epoch:
            self._begin()

    def state_dict(self) -> dict[str, Any]:
        """Where this object stands: what it has handed out itself, not what its copies in workers have."""
        return self._state(self.epoch, self._next) | ({"workers": self._step} if self._step > 1 else {})

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on after the batch that brought `state`.

        Raises ValueError if it was taken with another split, batch size, seed, number of ranks or dataset.
        """
        here = self._state(0, 0)
        fixed = (*FIXED, "content")
        wrong = [
            f"{name} is {here[name]!r} and was {state.get(name)!r}" for name in fixed if here[name] != state.get(name)
        ]
        if wrong:
            raise ValueError(f"This state cannot be resumed here: {', '.join(wrong)}. Use the same, or begin an epoch.")
        self._epoch[...] = state["epoch"]
        self._begin()
        self._start = self._next = state["batch"]
        self._start_of = state.get("workers")

    def __iter__(self) -> Iterator[Batch]:
        """The batches from the present place to the end of the epoch; in a DataLoader's worker its part of them."""
        if self._start_epoch != self.epoch:  # that was set in another process
            self._begin()
        self._next, self._step = self._turn()
        return self._pass()

    def _share_epoch(self) -> None:
        if torch is not None:
            self._epoch.share_memory_()

    def _begin(self) -> None:
        self._start_epoch = self.epoch  # the epoch that `_start` is in
        self._start = self._next = 0  # where a pass begins, and the batch that comes next in it
        self._start_of = None  # of how many workers the one is that `_start` is the place of

    def _pass(self) -> Iterator[Batch]:
        epoch = self.epoch
        rows, repeated = self._share(epoch_order(self._songs.group_sizes, self._request.shuffle, epoch))
        size, step = self._request.batch_size, self._step
        mine = [slice(start, start + size) for start in range(self._next * size, len(rows), step * size)]
        payloads = read_payloads(self._files.here(), self._songs, [row for cut in mine for row in rows[cut]])
        for cut in mine:
            batch = self._batch(rows[cut], list(islice(payloads, len(rows[cut]))))
            batch |= {"repeated": repeated[cut], "state": self._state(epoch, self._next + 1)}
            self._next += step
            yield as_tensors(batch)
        self._start, self._start_of = 0, None

    def _share(self, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return share_of(order, self._request.rank, self._request.world_size, self._request.ranks)

    def _turn(self) -> tuple[int, int]:
        """The first batch of this process and the step to its next one."""
        worker = get_worker_info()
        n_workers = worker.num_workers if worker else 1
        if self._start_of is None:
            return self._start + (worker.id if worker else 0), n_workers
        if self._start_of != n_workers:
            raise ValueError(
                f"This is the state of one of {self._start_of} workers, and here are {n_workers}: "
                "to change their number, keep the `state` that every batch brings."
            )
        return self._start, n_workers

    def _state(self, epoch: int, batch: int) -> dict[str, Any]:
        fixed = {name: getattr(self._request, name) for name in FIXED}
        return {"epoch": epoch, "batch": batch, **fixed, "content": self._songs.content}

    def _batch(self, rows: np.ndarray, payloads: list[memoryview | None]) -> dict[str, Any]:
        ids = [self._songs.ids[row] for row in rows]
        if self._request.decode:
            sound: dict[str, Any] = {"waveform": waveforms(payloads, ids, self._request)}
        else:
            sound = {"encoded": [None if payload is None else bytes(payload) for payload in payloads]}
        return {
            "song_id": ids,
            **sound,
            "has_audio": np.array([payload is not None for payload in payloads]),
            "mean": self._songs.means[rows],
            "count": self._songs.counts[rows],
        }
