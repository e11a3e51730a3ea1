"""Lemmas and tags by an installed TreeTagger, a process that is kept and asked sentence by sentence.

TreeTagger reads one token per line and writes ``token⇥tag⇥lemma``. It looks ahead: a sentence comes out only when
more has gone in: behind each sentence follow a marker, which it passes on (``-sgml``), and a full stop or two for it
to look at.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Annotated, ClassVar, Literal

from meteor_e.api import (
    ComponentOptions,
    FilePath,
    MatcherContext,
    Meta,
    PluginError,
    ResourceError,
)
from meteor_e.languages.files import named_languages
from meteor_e_languages.lemmatizers.picklable import PicklableLemmatizer
from meteor_e_languages.lemmatizers.tags import universal_tag

_AHEAD = 64
"""Full stops behind a sentence; more than any tagger looks ahead."""


class TreeTaggerLemmatizer(PicklableLemmatizer):
    """Lemmas (in lower case) and universal tags of whole sentences, by an installed TreeTagger.

    Raises:
        ResourceError: if the program or the parameter file is not there.
    """

    name: ClassVar[str] = "treetagger"
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"
    requires: ClassVar[tuple[str, ...]] = ("TreeTagger", "a parameter file")
    unpicklable = ("_lock", "_process")

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        parameter_file: Annotated[
            FilePath, Meta(description="The language's parameter file, such as french.par, in UTF-8.")
        ]
        command: Annotated[str, Meta(description="The program: a path, or a name to look for on the PATH.")] = (
            "tree-tagger"
        )
        timeout: Annotated[float, Meta(gt=0, description="Seconds to wait for a sentence.")] = 60.0
        language: (
            Annotated[
                str,
                Meta(description="Code of the file's language; by default what its name says, as in french.par."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        command, program = options.command, shutil.which(options.command)
        if program is None:
            raise ResourceError(
                f"lemmatizer 'treetagger': there is no program {command!r}; install TreeTagger from "
                "https://www.cis.lmu.de/~schmid/tools/TreeTagger/ and put its bin folder on the PATH, "
                "or name the program with the option 'command'"
            )
        self._program = program
        self._parameters = Path(options.parameter_file)
        try:
            self._digest = hashlib.sha256(self._parameters.read_bytes()).hexdigest()[:12]
        except OSError as error:
            raise ResourceError(f"lemmatizer 'treetagger': cannot read {self._parameters}: {error.strerror}") from error
        self._start()

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._process: _Process | None = None

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> TreeTaggerLemmatizer:
        """Take the chain's language for the meaning of the tags; refuse a parameter file of another."""
        stated, name = options.language, Path(options.parameter_file).name
        codes = named_languages(name) if stated is None else [stated]
        context.check_language(codes, f"lemmatizer {cls.name!r}: the parameters {name} are", claimed=True)
        return super().from_options(context, options.replaced(language=stated or context.language.code))

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str | None, str | None]]:
        """Tag a sentence; a word that TreeTagger does not know is its own lemma."""
        with self._lock:
            if self._process is None or not self._process.usable():
                self._process = _Process([self._program, "-token", "-lemma", "-sgml", "-quiet", str(self._parameters)])
            try:
                lines = self._process.tag([_sendable(word) for word in words], self.options.timeout)
            except BaseException:
                # What it would still say belongs to this sentence.
                self._process.stop()
                self._process = None
                raise
        if len(lines) != len(words):
            raise PluginError(f"TreeTagger answered {len(words)} words with {len(lines)} lines")
        return [self._read(word, line) for word, line in zip(words, lines, strict=True)]

    def _read(self, word: str, line: str) -> tuple[str | None, str | None]:
        fields = line.split("\t")
        if len(fields) != 3:
            raise PluginError(f"TreeTagger wrote {line[:80]!r}; expected a token, a tag and a lemma, joined by tabs")
        _, tag, lemma = fields
        if lemma in ("", "<unknown>", "@card@") or _sendable(word) != word:
            return word, universal_tag(tag, self.options.language or "")
        # Of several lemmas it names all: suivre|être.
        return lemma.partition("|")[0].lower() or word, universal_tag(tag, self.options.language or "")

    def describe(self) -> str:
        """Name the parameter file and the beginning of its SHA-256."""
        return f"{self._parameters.name}@{self._digest}"


def _sendable(word: str) -> str:
    """Return what stands for a word in TreeTagger's input: its lines are lines, and what begins with < is markup."""
    cannot = word.startswith("<") or any(char in "\n\r\t\0" for char in word)
    return "-" if cannot else word.encode("utf-8", "replace").decode("utf-8")


class _Process:
    """A running TreeTagger."""

    def __init__(self, command: Sequence[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        except OSError as error:
            self._errors.close()
            raise ResourceError(f"lemmatizer 'treetagger': cannot start {command[0]}: {error.strerror}") from error
        self._owner = os.getpid()
        self._sentences = 0
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=_read_lines, args=(self._process.stdout, self._lines), daemon=True)
        self._reader.start()
        self.stop = weakref.finalize(self, _stop, self._owner, self._process, self._reader, self._errors)

    def usable(self) -> bool:
        """Return whether it is there, and this process started it: after a fork, the pipes are the parent's."""
        return self._owner == os.getpid() and self._process.poll() is None

    def tag(self, words: Sequence[str], timeout: float) -> list[str]:
        """Return the lines for a sentence."""
        self._sentences += 1
        begin, end = (f'<sentence number="{self._sentences}" {what}>' for what in ("begins", "ends"))
        text = "\n".join([begin, *words, end, *["."] * _AHEAD]) + "\n"
        writer = threading.Thread(target=_write, args=(self._process.stdin, text.encode()), daemon=True)
        writer.start()
        lines: list[str] = []
        inside = False
        while True:
            try:
                line = self._lines.get(timeout=timeout)
            except queue.Empty:
                raise PluginError(
                    f"TreeTagger did not answer a sentence of {len(words)} words in {timeout:g} s"
                ) from None
            if line is None:
                raise ResourceError(f"TreeTagger ended: {self._complaint()}")
            if line == begin:
                inside = True
            elif line == end:
                break
            elif inside:
                lines.append(line)
        writer.join()
        return lines

    def _complaint(self) -> str:
        """Return what it said last on standard error."""
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read()[-500:].decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(said) if line.strip()), f"exit code {code}")


def _read_lines(stream: IO[bytes], lines: queue.SimpleQueue[str | None]) -> None:
    try:
        for line in stream:
            lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
    except (OSError, ValueError):
        pass
    lines.put(None)


def _write(stream: IO[bytes], data: bytes) -> None:
    try:
        stream.write(data)
        stream.flush()
    except (OSError, ValueError):
        pass  # It ended; whoever reads will see.


def _stop(owner: int, process: subprocess.Popen[bytes], reader: threading.Thread, errors: IO[bytes]) -> None:
    if owner != os.getpid():  # a fork does not end what its parent uses
        return
    process.kill()
    process.wait()
    reader.join(timeout=1)
    for stream in (process.stdin, process.stdout, errors):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
