"""Requests of the interface as values, and the rules for repeating them. No input or output happens here.

An operation is a generator of steps: it yields a `Call` or a `Pause` and receives the answer to a call. A client runs
the steps, blocking or awaiting, so that both clients share everything else.
"""

from __future__ import annotations

import json
import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Generator, Iterator, Mapping, Optional, Sequence, TypeVar, Union

from ._httpx import httpx
from .errors import LogbookError, NotFound, OutcomeUnknown, Refused, SignInFailed, UnexpectedAnswer, Unreachable
from .files import File


@dataclass(frozen=True)
class Call:
    """A request below the root path of the service."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: Any = None
    #: Files, sent in a form with the body as `logEntry`; None: only the body is sent.
    files: Optional[Sequence[File]] = None
    headers: Optional[Mapping[str, str]] = None
    #: The service performs writes with the same key only once.
    key: Optional[str] = None
    #: File to which the content of a success is written, whatever its size.
    target: Optional[Path] = None
    #: Time of the monotonic clock until which the service may be silent.
    deadline: Optional[float] = None

    def with_headers(self, **headers: str) -> Call:
        return replace(self, headers={**(self.headers or {}), **headers})

    def build(self, client: Union[httpx.Client, httpx.AsyncClient], base_url: str, opened: ExitStack) -> httpx.Request:
        """Builds the request. Its files stay open until `opened` is closed."""
        headers = dict(self.headers or {})
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        timeout = client.timeout
        if self.deadline is not None:
            left = max(_MIN_SECONDS, self.deadline - time.monotonic())
            timeout = httpx.Timeout(**{kind: min(value or left, left) for kind, value in timeout.as_dict().items()})
        url = self._url(base_url)
        if self.files is None:
            if self.body is not None:
                headers["Content-Type"] = "application/json"
            return client.build_request(self.method, url, headers=headers, content=_to_json(self.body), timeout=timeout)
        form: list[tuple[str, Any]] = [("logEntry", (None, _to_json(self.body), "application/json"))]
        for file in self.files:
            form.append(("files", (file.filename, opened.enter_context(file.open()), file.media_type)))
        return client.build_request(self.method, url, headers=headers, files=form, timeout=timeout)

    def _url(self, base_url: str) -> httpx.URL:
        try:
            address = base_url + self.path
            return httpx.URL(address, params=list(self.query)) if self.query else httpx.URL(address)
        except httpx.InvalidURL as error:
            raise ValueError(f"The request cannot be sent: {error}. Shorten the search.") from error


@dataclass(frozen=True)
class Pause:
    """Time to wait, in seconds."""

    seconds: float


T = TypeVar("T")
Step = Union[Call, Pause]
#: The send type is the answer to a call; the answer to a pause means nothing.
Steps = Generator[Step, Any, T]

#: Statuses which say that nothing was stored, and that the same request can succeed later.
BUSY = frozenset({408, 425, 429, 503, 507})
#: Statuses of a proxy that does not know what became of the request.
LOST = frozenset({502, 504})
#: Minimum time that a request gets, even after its deadline.
_MIN_SECONDS = 1.0
#: Maximum length of a message of the service that is shown.
_MAX_MESSAGE = 1_000


@dataclass(frozen=True)
class Retries:
    """Maximum number of repetitions of a request, and maximum time between two attempts."""

    count: int = 5
    max_seconds: float = 20.0

    def pauses(self) -> Iterator[float]:
        for attempt in range(self.count):
            yield min(self.max_seconds, 0.25 * 2 ** min(attempt, 16)) * random.uniform(0.5, 1.0)

    def pauses_forever(self) -> Iterator[float]:
        return Retries(sys.maxsize, self.max_seconds).pauses()


def repeat(call: Call, retries: Retries, is_once: Callable[[], Steps[bool]]) -> Steps[httpx.Response]:
    """Performs a call, and repeats it while the service is unreachable or busy.

    `is_once` says whether a write whose answer was lost may be repeated; it is asked only then.
    """
    may_be_stored = False
    for pause in [*retries.pauses(), None]:
        problem: Union[httpx.RequestError, httpx.Response]
        try:
            answer: httpx.Response = yield call
        except httpx.RequestError as error:
            problem = error
            is_lost = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
        else:
            if answer.status_code not in BUSY | LOST:
                return checked(answer)
            problem = answer
            is_lost = answer.status_code in LOST
        is_lost = is_lost and call.method != "GET"
        may_be_stored = may_be_stored or is_lost
        if pause is None or isinstance(problem, httpx.UnsupportedProtocol):
            raise _outcome_unknown(problem) if may_be_stored else _unreachable(call, problem)
        if is_lost and not (yield from _is_known(is_once)):
            raise _outcome_unknown(problem)
        yield Pause(max(pause, _requested_pause(problem, retries)))
    raise AssertionError("unreachable")


def _is_known(is_once: Callable[[], Steps[bool]]) -> Steps[bool]:
    """Whether the service performs a repeated write only once; False if it cannot be asked."""
    try:
        return (yield from is_once())
    except LogbookError:
        return False


def checked(answer: httpx.Response) -> httpx.Response:
    """Returns the answer if it is a success, and raises the error that it describes otherwise."""
    if answer.is_success:
        return answer
    raise refusal(answer)


def interpret(answer: httpx.Response, read: Callable[[Any], T]) -> T:
    """Reads the JSON of an answer. Raises `UnexpectedAnswer` if it is not that of a logbook."""
    try:
        return read(answer.json())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise unexpected(answer) from error


def unexpected(answer: httpx.Response) -> UnexpectedAnswer:
    """The error for a success that is not from a logbook, such as the page of a proxy."""
    kind = answer.headers.get("content-type", "without a type")[:100]
    return UnexpectedAnswer(
        f"The answer to {answer.request.method} {answer.request.url.path} is not that of a logbook ({kind}). "
        "Check the address, and whether a proxy or a sign-in page answers in its place."
    )


def refusal(answer: httpx.Response) -> Refused:
    """The error of an answer. Errors of an Olog service have no code, and that of a missing sign-in has no body."""
    body = error_body(answer)
    code = body.get("code")
    message = str(body.get("message") or body.get("error") or answer.reason_phrase or "no message")[:_MAX_MESSAGE]
    text = f"{message} ({answer.status_code})"
    is_from_logbook = isinstance(code, str) or {"timestamp", "status"} <= body.keys()
    if not is_from_logbook:
        text = f"The answer is not from the logbook, but perhaps from a proxy: {text}"
    kinds = {401: SignInFailed, 404: NotFound}
    if answer.status_code == 401 and not body:
        text = "The service refused the request without a reason (401): sign in, or check the address and the id."
    if answer.is_redirect:
        location = str(answer.headers.get("location"))[:_MAX_MESSAGE]
        text = f"The service redirects to {location}: use that address, if it is the logbook's."
    error = kinds.get(answer.status_code, Refused)(text, answer.status_code, code if isinstance(code, str) else None)
    error.is_from_logbook = is_from_logbook
    return error


def error_body(answer: httpx.Response) -> Mapping[str, Any]:
    """The JSON object of an answer; empty if it has none."""
    try:
        body = answer.json()
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _unreachable(call: Call, problem: Union[httpx.RequestError, httpx.Response]) -> Unreachable:
    reason = str(refusal(problem)) if isinstance(problem, httpx.Response) else str(problem) or type(problem).__name__
    url = problem.request.url
    error = Unreachable(
        f"The logbook at {url.scheme}://{url.netloc.decode()} cannot be reached: {reason}. "
        f"{call.method} {call.path or '/'} was not answered."
    )
    error.is_answer = isinstance(problem, httpx.Response)
    return error


def _outcome_unknown(problem: Union[httpx.RequestError, httpx.Response]) -> OutcomeUnknown:
    if isinstance(problem, httpx.Response):
        reason = f"status {problem.status_code}"
    else:
        reason = str(problem) or type(problem).__name__
    return OutcomeUnknown(
        f"The answer to a write was lost ({reason}), and the service may have stored it. "
        "Look for the entry before you send it again."
    )


def _requested_pause(problem: Union[httpx.RequestError, httpx.Response], retries: Retries) -> float:
    """The time in seconds that `Retry-After` asks for, bounded. The header has a number of seconds or a date."""
    text = problem.headers.get("retry-after", "") if isinstance(problem, httpx.Response) else ""
    # Most programs do not need this module, and start faster without it.
    from email.utils import parsedate_to_datetime

    try:
        seconds = float(text) if text.isdecimal() else parsedate_to_datetime(text).timestamp() - time.time()
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return min(max(seconds, 0.0), 3 * retries.max_seconds)


def _to_json(body: Any) -> Optional[bytes]:
    """The body as JSON. Unpaired surrogates, such as from a file name that is not UTF-8, become question marks."""
    if body is None:
        return None
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
