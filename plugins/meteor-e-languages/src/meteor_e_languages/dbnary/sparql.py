"""A SPARQL endpoint that answers late, in part, or not at all, asked until the answer is whole."""

from __future__ import annotations

import http.client
import json
import socket
import time
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from meteor_e import ConfigError, ResourceError, __version__
from meteor_e.api import Meta
from meteor_e.base.progress import Progress, silent

MAX_ANSWER = 256 << 20
"""Bytes of an answer; no page comes near."""

WITHOUT_NETWORK = (
    "without a network, make the pack from a dump of DBnary that was downloaded elsewhere: "
    "meteor-e dbnary extract --language fr --dump fr_dbnary_ontolex.ttl.bz2"
)
"""What to do offline, for messages."""

Row = dict[str, str]


@dataclass(frozen=True)
class Patience:
    """How long to go on with an endpoint that fails.

    Attributes:
        timeout: seconds to wait for an answer, or for its next part.
        retries: how often to ask again.
        backoff: seconds before the first of them; doubled each time.
        longest: the longest wait, in seconds.
    """

    timeout: Annotated[float, Meta(gt=0)] = 120.0
    retries: Annotated[int, Meta(ge=0)] = 8
    backoff: Annotated[float, Meta(ge=0)] = 1.0
    longest: Annotated[float, Meta(ge=0)] = 120.0

    def wait(self, attempt: int) -> float:
        """Return the seconds to wait after the failed attempt of this number, from 0."""
        return min(self.longest, self.backoff * 2.0**attempt)


class _TemporaryError(Exception):
    """It may work next time; ``after`` is how long the endpoint asks to wait."""

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class Endpoint:
    """A SPARQL endpoint.

    Args:
        url: its address, ``http:`` or ``https:``.
        patience: how long to go on when it fails.
        progress: told of waits.

    Raises:
        ConfigError: for another kind of address.
    """

    def __init__(self, url: str, patience: Patience | None = None, progress: Progress = silent) -> None:
        if not url.lower().startswith(("http://", "https://")):
            raise ConfigError(f"{url!r} is no address of a SPARQL endpoint; it begins with http:// or https://")
        self.url = url
        self._patience = patience or Patience()
        self._progress = progress
        self._answered = False

    def select(self, query: Callable[[int], str] | str, rows: int = 0, retries: int | None = None) -> list[Row]:
        """Return the rows of an answer, each with the texts of its variables.

        Whatever can pass (a server error, an overload, a time-out, a broken connection, an answer that is cut short
        or that the server calls partial) is asked again, later and later.

        Args:
            query: the query, or what makes it for a number of rows; it is halved each time that the server fails.
            rows: that number.
            retries: how often to ask again, if less often than otherwise.

        Raises:
            ResourceError: if the endpoint refuses the query, or fails to the end.
        """
        attempt = 0
        most = self._patience.retries if retries is None else min(retries, self._patience.retries)
        while True:
            text = query if isinstance(query, str) else query(max(1, rows >> attempt))
            try:
                return self._ask(text)
            except _TemporaryError as failure:
                if attempt >= most:
                    raise ResourceError(
                        f"the SPARQL endpoint {self.url} failed {attempt + 1} times, the last time so: {failure}; "
                        "what has arrived is kept: run the same command again to go on"
                    ) from failure
                wait = max(self._patience.wait(attempt), min(failure.after, self._patience.longest))
                self._progress("waiting for the endpoint", attempt + 1, most)
                time.sleep(wait)
                attempt += 1

    def _ask(self, query: str) -> list[Row]:
        from SPARQLWrapper import JSON, POST, SPARQLWrapper
        from SPARQLWrapper.SPARQLExceptions import EndPointInternalError, SPARQLWrapperException

        wrapper = SPARQLWrapper(self.url, agent=f"meteor-e-languages/{__version__}")
        wrapper.setQuery(query)
        wrapper.setMethod(POST)
        wrapper.setReturnFormat(JSON)
        # SPARQLWrapper declares an int and hands it on to sockets, which take a float.
        wrapper.timeout = self._patience.timeout  # type: ignore[assignment]
        try:
            with wrapper.query().response as response:
                data = response.read(MAX_ANSWER + 1)
                status, headers = response.status, response.headers
        except EndPointInternalError as error:
            raise _TemporaryError(f"server error 500 ({_brief(error)})") from error
        except SPARQLWrapperException as error:
            raise ResourceError(f"the SPARQL endpoint {self.url} refuses the query: {_brief(error)}") from error
        except urllib.error.HTTPError as error:
            with error:
                if error.code in (408, 425, 429) or error.code >= 500:
                    after = error.headers.get("Retry-After", "")
                    raise _TemporaryError(
                        f"server error {error.code} ({error.reason})", float(after) if after.isdigit() else 0.0
                    ) from error
                raise ResourceError(
                    f"the SPARQL endpoint {self.url} answers with error {error.code}: {error.reason}"
                ) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, socket.gaierror) and not self._answered:
                # No network at all; waiting for minutes would not bring one.
                raise ResourceError(
                    f"the SPARQL endpoint {self.url} cannot be reached ({error.reason.strerror}); {WITHOUT_NETWORK}"
                ) from error
            raise _TemporaryError(f"no connection ({error.reason})") from error
        except (http.client.HTTPException, OSError) as error:
            reason = "time-out" if isinstance(error, TimeoutError) else f"{type(error).__name__}: {error}"
            raise _TemporaryError(f"the answer did not arrive ({reason})") from error
        self._answered = True
        if len(data) > MAX_ANSWER:
            raise ResourceError(f"the SPARQL endpoint {self.url} answered with more than {MAX_ANSWER >> 20} MiB")
        # Virtuoso says in a header that it gave up and sends what it has, with the code 200 or 206.
        if status == 206 or headers.get("X-SQL-State"):
            raise _TemporaryError(f"a partial answer ({headers.get('X-SQL-Message', 'Partial Content')})")
        return _rows(data)


def _rows(data: bytes) -> list[Row]:
    """Read an answer in the SPARQL results' JSON."""
    try:
        bindings = json.loads(data)["results"]["bindings"]
        return [{name: _text(value) for name, value in binding.items()} for binding in bindings]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _TemporaryError(f"an answer that is cut short or no SPARQL result: {data[:60]!r}") from error


def _text(value: Any) -> str:
    if not isinstance(value["value"], str):
        raise TypeError("no text")
    return str(value["value"])


def _brief(error: Exception) -> str:
    """Return an error's first words, in one line."""
    return " ".join(str(error).replace("\\n", " ").split())[:200]
