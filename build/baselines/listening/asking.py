"""Ask many questions: those already answered cost nothing, answers are read strictly, and a silent service ends it."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from build.baselines.listening.answers import rating_of
from build.baselines.listening.listeners import Listener, NoReplyError
from build.baselines.listening.questions import Question
from build.baselines.listening.store import OK, REFUSED, UNREADABLE, Answer, Store
from build.errors import RunError
from build.progress import progress

TRIES = 3  # to get one readable number out of a model
MOST_SILENT = 5  # questions in a row without any reply, after which the service is taken for gone
Asked = tuple[Question, str]  # a question, and the reminder of how to answer

Song = Callable[[], Iterable[Asked]]  # makes the questions about a song when their turn comes


@dataclass
class Tally:
    """What was asked and what came of it; tokens are those of this run."""

    counts: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    answer_tokens: int = 0

    def sentence(self) -> str:
        """For people."""
        told = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items())) or "nothing was asked"
        return f"{told}; tokens: {self.prompt_tokens} in questions, {self.answer_tokens} in answers"


class Interview:
    """Questions to one listener; `name` says who that is, and with which settings, for the store."""

    def __init__(self, listener: Listener, name: str, store: Store) -> None:
        self.listener, self.name, self.store = listener, name, store
        self.tally, self.answers = Tally(), list[Answer]()
        self._lock, self._silent, self._over = threading.Lock(), 0, threading.Event()

    def conduct(self, songs: Sequence[Song], workers: int) -> list[Answer]:
        """Ask about all songs, several at a time. RunError where the service cannot be asked, or has gone silent."""
        with progress("listening", len(songs)) as advance, ThreadPoolExecutor(workers) as threads:
            futures = [threads.submit(self._ask_about, song) for song in songs]
            try:
                for future in futures:
                    future.result()
                    advance(True)
            except BaseException:
                self._over.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise
        return sorted(self.answers)

    def _ask_about(self, song: Song) -> None:
        for question, reminder in song():
            if self._over.is_set():
                return
            key = question.key(self.name)
            answer = self.store.find(key)
            if answer is None:
                answer = self._ask(question, reminder)
                if answer is not None:
                    self.store.keep(key, self.name, answer)
                self._count(answer)
            else:
                self._count(answer, kept=True)

    def _ask(self, question: Question, reminder: str) -> Answer | None:
        """The answer, or None where no reply came."""
        prompt_tokens = answer_tokens = 0
        for tries in range(1, TRIES + 1):
            try:
                reply = self.listener.ask(question if tries == 1 else question.again(reminder))
            except NoReplyError as error:
                self._was_silent(question, error)
                return None
            self._silent = 0
            prompt_tokens += reply.prompt_tokens
            answer_tokens += reply.answer_tokens
            rating = rating_of(reply.text)
            if rating is not None or reply.refused:
                break
        status = OK if rating is not None else REFUSED if reply.refused else UNREADABLE
        return Answer(
            question.song_id, question.target, status, rating, reply.text, tries, prompt_tokens, answer_tokens
        )

    def _was_silent(self, question: Question, error: NoReplyError) -> None:
        with self._lock:
            self._silent += 1
            if self._silent >= MOST_SILENT:
                raise RunError(
                    f"no reply to {self._silent} questions in a row, the last about {question.song_id}: {error}; "
                    "look at --base-url and --timeout, or run the same command again later; answers so far are kept"
                )

    def _count(self, answer: Answer | None, kept: bool = False) -> None:
        with self._lock:
            self.tally.counts["no reply" if answer is None else answer.status] += 1
            if answer is not None:
                self.answers.append(answer)
                self.tally.counts["already answered"] += kept
                self.tally.prompt_tokens += 0 if kept else answer.prompt_tokens
                self.tally.answer_tokens += 0 if kept else answer.answer_tokens
