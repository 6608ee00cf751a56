"""Services with models that listen, through their official clients: any OpenAI-compatible chat endpoint, and Gemini.

The clients retry what may pass (timeouts, 429, 5xx) with growing pauses. Keys come from the environment, as the
clients read it: OPENAI_API_KEY, GEMINI_API_KEY.
"""

import base64
import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from google import genai
from google.genai import errors as genai_errors
from google.genai import types
from openai import APIConnectionError, APIStatusError, OpenAI, OpenAIError
from openai.types.chat import ChatCompletion

from build.baselines.listening.questions import Clip, Question
from build.errors import InputError, RunError

HOPELESS = (400, 401, 403, 404)  # HTTP statuses that asking again does not change
SHOWN = 200  # characters of what came instead of an answer
FILTERED = "content_filter"
FINISHED = {types.FinishReason.STOP, types.FinishReason.MAX_TOKENS}
PAUSE_S = 0.5  # before the second try; it doubles from try to try
# Gemini's client lets through what its HTTP library raises, which is httpx or the fork of it that is installed
TRANSPORT_ERRORS = tuple(
    importlib.import_module(name).HTTPError for name in ("httpx", "httpx2") if importlib.util.find_spec(name)
)


@dataclass(frozen=True)
class Reply:
    """What came back: `text` is empty where the model refused."""

    text: str
    refused: bool
    prompt_tokens: int
    answer_tokens: int


class NoReplyError(Exception):
    """No answer came: the service was silent, busy or broken. Asking later may help."""


@dataclass(frozen=True)
class Service:
    """Where a model is, and how patient to be: `timeout_s` for one try, `tries` before giving up on a question."""

    provider: str
    model: str
    base_url: str | None = None
    timeout_s: float = 120.0
    tries: int = 4

    @property
    def name(self) -> str:
        """Who answers: the same model elsewhere may be another one."""
        return f"{self.provider}:{self.model}" + (f" at {self.base_url}" if self.base_url else "")


class Listener(Protocol):
    """A model that answers questions."""

    def ask(self, question: Question) -> Reply:
        """The reply; NoReplyError where none came, RunError where none ever will."""


class _Chat:
    """The chat completions of an OpenAI-compatible service, with `input_audio` parts."""

    def __init__(self, service: Service) -> None:
        self.service = service
        try:
            self.client = OpenAI(base_url=service.base_url, timeout=service.timeout_s, max_retries=service.tries - 1)
        except OpenAIError as error:
            raise InputError(f"--provider chat: {error}") from error

    def ask(self, question: Question) -> Reply:
        try:
            done = self.client.chat.completions.create(
                model=self.service.model,
                temperature=0,
                messages=[{"role": "user", "content": [_chat_part(part) for part in question.parts]}],
            )
        except APIStatusError as error:
            raise _problem(error.status_code, error) from error
        except (APIConnectionError, ValueError) as error:  # the client lets through what is wrong with JSON
            raise NoReplyError(f"{type(error).__name__}: {error}") from error
        if not (isinstance(done, ChatCompletion) and done.choices and done.choices[0].message):
            raise NoReplyError(f"what came is no chat completion: {str(done)[:SHOWN]}")
        choice = done.choices[0]
        refused = bool(choice.message.refusal) or choice.finish_reason == FILTERED
        tokens = (done.usage.prompt_tokens or 0, done.usage.completion_tokens or 0) if done.usage else (0, 0)
        return Reply("" if refused else str(choice.message.content or ""), refused, *tokens)


def _chat_part(part: Clip | str) -> Any:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.content).decode()
    return {"type": "input_audio", "input_audio": {"data": data, "format": part.kind}}


class _Gemini:
    """Gemini's generateContent, with inline sound."""

    def __init__(self, service: Service) -> None:
        self.service = service
        retries = types.HttpRetryOptions(attempts=service.tries, initial_delay=PAUSE_S)
        options = types.HttpOptions(
            base_url=service.base_url, timeout=int(service.timeout_s * 1000), retry_options=retries
        )
        try:
            self.client = genai.Client(http_options=options)
        except ValueError as error:
            raise InputError(f"--provider gemini: {error}") from error

    def ask(self, question: Question) -> Reply:
        try:
            done = self.client.models.generate_content(
                model=self.service.model,
                contents=list[Any](_gemini_part(part) for part in question.parts),
                config=types.GenerateContentConfig(temperature=0),
            )
        except genai_errors.APIError as error:
            raise _problem(error.code, error) from error
        except (*TRANSPORT_ERRORS, ValueError) as error:  # the client lets through what is wrong with JSON
            raise NoReplyError(f"{type(error).__name__}: {error}") from error
        blocked = bool(done.prompt_feedback and done.prompt_feedback.block_reason)
        if not done.candidates and not blocked:
            raise NoReplyError("what came is no answer of Gemini: it has no candidate")
        reasons = [candidate.finish_reason for candidate in done.candidates or []]
        text = (done.text or "") if reasons else ""
        return Reply(text, not text and not set(reasons) & FINISHED, *_gemini_tokens(done.usage_metadata))


def _gemini_tokens(usage: Any) -> tuple[int, int]:
    """Tokens of the question, and of the answer with what the model thought before it, which is paid for too."""
    if usage is None:
        return 0, 0
    return usage.prompt_token_count or 0, (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)


def _gemini_part(part: Clip | str) -> types.Part:
    if isinstance(part, str):
        return types.Part.from_text(text=part)
    return types.Part.from_bytes(data=part.content, mime_type={"mp3": "audio/mp3", "wav": "audio/wav"}[part.kind])


def _problem(status: int, error: Exception) -> Exception:
    if status in HOPELESS:
        return RunError(f"the service refuses to be asked ({status}): {error}; check key, model and base URL")
    return NoReplyError(f"{status}: {error}")


LISTENERS: dict[str, Callable[[Service], Listener]] = {"chat": _Chat, "gemini": _Gemini}


def listener_of(service: Service) -> Listener:
    """The client of a service; InputError for an unknown provider, or where the key is missing."""
    if service.provider not in LISTENERS:
        raise InputError(f"--provider {service.provider}: there are {', '.join(LISTENERS)}")
    return LISTENERS[service.provider](service)
