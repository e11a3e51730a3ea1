"""Lemmatize and tag words with an installed TreeTagger. A TreeTagger process reads one sentence at a time.

TreeTagger reads one token per line and writes ``token⇥tag⇥lemma``. It reads ahead, so the results of a sentence appear
only after more input. Therefore each sentence is followed by a marker, which TreeTagger copies to its output
(``-sgml``), and by full stops.
"""

from __future__ import annotations

import contextlib
import functools
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

_FULL_STOPS = 64
"""Number of full stops after a sentence, which is more than TreeTagger reads ahead."""


class TreeTaggerLemmatizer(PicklableLemmatizer):
    """A lemmatizer for sentences, which returns lowercased lemmas and universal tags.

    Raises:
        ResourceError: if the program or the parameter file is missing.
    """

    name: ClassVar[str] = "treetagger"
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"
    requires: ClassVar[tuple[str, ...]] = ("TreeTagger", "a parameter file")
    unpicklable = ("_lock", "_process")

    class Options(ComponentOptions):
        """The options in a chain."""

        parameter_file: Annotated[
            FilePath, Meta(description="The language's parameter file, such as french.par, in UTF-8.")
        ]
        command: Annotated[str, Meta(description="The program: a path, or a name that is searched on the PATH.")] = (
            "tree-tagger"
        )
        timeout: Annotated[float, Meta(gt=0, description="Seconds to wait for a sentence.")] = 60.0
        language: (
            Annotated[
                str,
                Meta(description="Code of the file's language; by default, a name like french.par names it."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._program = _find_program(options.command)
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
        """Create the lemmatizer for a matcher chain. The tags are interpreted according to the language.

        Raises:
            ConfigError: if the parameter file is for another language.
        """
        name = Path(options.parameter_file).name
        languages = named_languages(name) if options.language is None else [options.language]
        context.check_language(languages, f"lemmatizer {cls.name!r}: the parameters {name} are", is_stated=True)
        return super().from_options(context, options.replaced(language=options.language or context.language.code))

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str | None, str | None]]:
        """Return the lemma and tag of each word of a sentence. An unknown word is its own lemma."""
        lines = self._tag([_make_token(word) for word in words])
        if len(lines) != len(words):
            raise PluginError(f"TreeTagger answered {len(words)} words with {len(lines)} lines")
        return [self._parse_line(word, line) for word, line in zip(words, lines, strict=True)]

    def _tag(self, tokens: Sequence[str]) -> list[str]:
        """Return TreeTagger's output lines for a sentence. The process is started if it is not running."""
        with self._lock:
            if self._process is None or not self._process.is_usable():
                self._process = _Process([self._program, "-token", "-lemma", "-sgml", "-quiet", str(self._parameters)])
            try:
                return self._process.tag(tokens, self.options.timeout)
            except BaseException:
                # Stop the process. Otherwise, the next sentence would receive the remaining output of this sentence.
                self._process.stop()
                self._process = None
                raise

    def _parse_line(self, word: str, line: str) -> tuple[str | None, str | None]:
        """Parse the lemma and the universal tag of a word from a line of TreeTagger's output."""
        fields = line.split("\t")
        if len(fields) != 3:
            raise PluginError(f"TreeTagger wrote {line[:80]!r}; expected a token, a tag and a lemma, joined by tabs")
        _, tag, lemma = fields
        upos = universal_tag(tag, self.options.language or "")
        is_unknown = lemma in ("", "<unknown>", "@card@")
        if is_unknown or _make_token(word) != word:
            return word, upos
        first_lemma = lemma.partition("|")[0]  # An ambiguous word has several lemmas: suivre|être.
        return first_lemma.lower() or word, upos

    def describe(self) -> str:
        """Return the text that identifies the parameter file in the metric's signature."""
        return f"{self._parameters.name}@{self._digest}"


def _find_program(command: str) -> str:
    """Return the path of the program TreeTagger. Raise ResourceError if the command does not exist."""
    program = shutil.which(command)
    if program is None:
        raise ResourceError(
            f"lemmatizer 'treetagger': there is no program {command!r}; install TreeTagger from "
            "https://www.cis.lmu.de/~schmid/tools/TreeTagger/ and put its bin folder on the PATH, "
            "or name the program with the option 'command'"
        )
    return program


def _make_token(word: str) -> str:
    """Convert a word to a line of TreeTagger's input. A word with markup or separators is replaced by ``-``."""
    is_markup = word.startswith("<")
    has_separator = any(char in "\n\r\t\0" for char in word)
    return "-" if is_markup or has_separator else word.encode("utf-8", "replace").decode("utf-8")


class _Process:
    """A running TreeTagger process.

    Attributes:
        stop: ends the process. It is called when the object is deleted.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._error_file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = _start_process(command, self._error_file)
        self._owner_id = os.getpid()
        self._sentence_count = 0
        # A separate thread reads the output, because a read from a pipe does not accept a timeout.
        self._output_lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        reader = threading.Thread(target=_read_lines, args=(self._process.stdout, self._output_lines), daemon=True)
        reader.start()
        self.stop = weakref.finalize(self, _stop_process, self._owner_id, self._process, reader, self._error_file)

    def is_usable(self) -> bool:
        """Return whether the process can be used. After a fork, only the parent process can use it."""
        return self._owner_id == os.getpid() and self._process.poll() is None

    def tag(self, words: Sequence[str], timeout: float) -> list[str]:
        """Return the output lines of a sentence, one for each word.

        TreeTagger copies the two markers to its output, where they delimit the lines of the sentence.

        Raises:
            PluginError: if the process does not answer within ``timeout`` seconds.
            ResourceError: if the process has ended.
        """
        self._sentence_count += 1
        start_marker = f'<sentence number="{self._sentence_count}" begins>'
        end_marker = f'<sentence number="{self._sentence_count}" ends>'
        full_stops = ["."] * _FULL_STOPS
        input_lines = [start_marker, *words, end_marker, *full_stops]
        # The input is written in a thread, because TreeTagger may stop reading until its output is read.
        writer = threading.Thread(target=_write_lines, args=(self._process.stdin, input_lines), daemon=True)
        writer.start()
        # This call discards the output for the periods that were sent after the previous sentence.
        self._read_until(start_marker, len(words), timeout)
        output_lines = self._read_until(end_marker, len(words), timeout)
        writer.join()
        return output_lines

    def _read_until(self, marker: str, word_count: int, timeout: float) -> list[str]:
        """Return the lines of TreeTagger's output before a marker. For the arguments, see :meth:`_read_line`."""
        read_line = functools.partial(self._read_line, word_count, timeout)
        return list(iter(read_line, marker))

    def _read_line(self, word_count: int, timeout: float) -> str:
        """Return the next line of TreeTagger's output.

        Args:
            word_count: the number of words in the sentence, for the error message.
            timeout: the number of seconds to wait for the line.
        """
        try:
            line = self._output_lines.get(timeout=timeout)
        except queue.Empty:
            raise PluginError(f"TreeTagger did not answer a sentence of {word_count} words in {timeout:g} s") from None
        if line is None:
            raise ResourceError(f"TreeTagger ended: {self._read_error()}")
        return line

    def _read_error(self) -> str:
        """Return the last line that TreeTagger wrote to standard error, or its exit code."""
        code = self._process.wait()
        self._error_file.seek(0)
        error_text = self._error_file.read()[-500:].decode("utf-8", "replace")
        for line in reversed(error_text.split("\n")):
            if line.strip():
                return line.strip()
        return f"exit code {code}"


def _start_process(command: Sequence[str], error_file: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a process whose standard error is written to a file. If this fails, close the file."""
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=error_file)
    except OSError as error:
        error_file.close()
        raise ResourceError(f"lemmatizer 'treetagger': cannot start {command[0]}: {error.strerror}") from error


def _read_lines(stream: IO[bytes], lines: queue.SimpleQueue[str | None]) -> None:
    """Put the lines of a stream into a queue. None marks the end of the stream."""
    try:
        for line in stream:
            lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
    except (OSError, ValueError):
        pass
    lines.put(None)


def _write_lines(stream: IO[bytes], lines: Sequence[str]) -> None:
    """Write lines to the standard input of a process."""
    try:
        stream.write("".join(f"{line}\n" for line in lines).encode())
        stream.flush()
    except (OSError, ValueError):
        pass  # The process has ended, which is reported when its output is read.


def _stop_process(owner_id: int, process: subprocess.Popen[bytes], reader: threading.Thread, errors: IO[bytes]) -> None:
    """End a process and close its streams."""
    if owner_id != os.getpid():
        return  # A forked process must not end the process of its parent.
    process.kill()
    process.wait()
    reader.join(timeout=1)
    for stream in (process.stdin, process.stdout, errors):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
