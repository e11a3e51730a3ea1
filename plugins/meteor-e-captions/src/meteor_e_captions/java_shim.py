"""``meteor-e java-shim``: a program named ``java`` that runs METEOR's jar calls, and the real Java for all others.

Captioning toolkits start ``java`` by name.  First on the ``PATH``, the shim takes the calls of METEOR 1.5's program
(``meteor-1.5.jar``) and of CoreNLP 3.4.1's ``PTBTokenizer``, in any order of the options, and hands every other call
to the next ``java`` on the ``PATH``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

import meteor_e
from meteor_e.api import ConfigError

#: The second line of the program; by it a shim knows others of its kind.
MARK = "# A java written by meteor-e java-shim"
TOKENIZER = "edu.stanford.nlp.process.PTBTokenizer"
#: Bytes of text that the tokenizer takes at once; it needs several times as many of memory.
MAX_TEXT = 256 << 20
# Options of the Java launcher whose value is the next argument.
_WITH_VALUE = frozenset(
    [
        *("-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--patch-module"),
        *("--add-modules", "--limit-modules", "--add-reads", "--add-exports", "--add-opens", "-d", "--describe-module"),
        *("--enable-native-access", "--source"),
    ]
)
_CLASS_PATHS = frozenset(["-cp", "-classpath", "--class-path"])
# Whatever else is given, these print something and end, or read arguments from elsewhere.
_OTHERS = re.compile(
    r"--?(version|showversion|fullversion|help|X|\?|list-modules|validate-modules|dry-run|m|module)$|@"
)
_VERSION = re.compile(r"[0-9]{1,4}([._][0-9]{1,4}){0,3}")
_METEOR_JAR = re.compile(r"meteor-1\.5\.jar", re.IGNORECASE)
_TOKENIZER_JAR = re.compile(r"stanford-corenlp-3\.4\.1\.jar", re.IGNORECASE)


class JavaCall(NamedTuple):
    """What a ``java`` command line asks for.

    Attributes:
        program: ``"meteor"``, ``"tokenizer"``, or ``None`` for anything that needs the real Java.
        arguments: the program's own arguments.
    """

    program: str | None
    arguments: tuple[str, ...] = ()

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> JavaCall:
        """Read a command line as the Java launcher does: options, then a jar or a class, then its arguments."""
        rest = iter(arguments)
        class_path = os.environ.get("CLASSPATH", "")
        is_jar = False
        for argument in rest:
            if _OTHERS.match(argument):
                return cls(None)
            if argument == "-jar":
                is_jar = True
            elif argument in _WITH_VALUE:
                value = next(rest, "")
                class_path = value if argument in _CLASS_PATHS else class_path
            elif argument.startswith("--class-path="):
                class_path = argument.partition("=")[2]
            elif not argument.startswith("-") or argument == "-":
                return cls._of(argument, is_jar, class_path, tuple(rest))
        return cls(None)

    @classmethod
    def _of(cls, name: str, is_jar: bool, class_path: str, arguments: tuple[str, ...]) -> JavaCall:
        if is_jar:
            return cls("meteor" if _METEOR_JAR.fullmatch(_base(name)) else None, arguments)
        jars = [_base(entry) for entry in class_path.split(os.pathsep)]
        if name == "Meteor" and any(map(_METEOR_JAR.fullmatch, jars)):
            return cls("meteor", arguments)
        if name.replace("/", ".") == TOKENIZER and any(map(_TOKENIZER_JAR.fullmatch, jars)):
            known = all(word in ("-preserveLines", "-lowerCase") for word in arguments if word.startswith("-"))
            return cls("tokenizer" if known else None, arguments)
        return cls(None, arguments)


def _base(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


@click.command("java-shim")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--java-version", metavar="VERSION", help="Answer 'java -version' with this version, such as 1.8.0.")
def java_shim(folder: Path, java_version: str | None) -> None:
    """Write a program named java into DIR that runs METEOR's jar calls, without Java.

    \b
    meteor-e java-shim ~/meteor-java
    export PATH=~/meteor-java:$PATH

    METEOR 1.5's jar and the PTB tokenizer of pycocoevalcap are run by meteor-e. Every other call of java goes to the
    next java on the PATH; where there is none, it fails with one line and exit code 1.

    aac-metrics asks for 'java -version' first, and takes 8 to 13 only: --java-version 1.8.0 answers so.
    """
    from meteor_e.base.files import atomic_writer

    if os.name == "nt":
        raise ConfigError("the program is a shell script; Windows does not start one for java")
    if java_version is not None and not _VERSION.fullmatch(java_version):
        raise ConfigError(f"--java-version is a version such as 1.8.0 or 11.0.20, not {java_version!r}")
    folder = folder.expanduser().resolve()
    path = folder / "java"
    if path.exists() and not _is_shim(path):
        raise ConfigError(f"{path} exists and is not a program of ours; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_writer(str(path)) as stream:
        stream.write(_script(java_version))
    path.chmod(0o755)
    click.echo(str(path))
    if os.pathsep in str(folder):
        click.echo(f"Warning: no PATH can name a folder with {os.pathsep!r} in it", err=True)


def _script(version: str | None) -> str:
    roots = sorted({str(Path(file).resolve().parents[1]) for file in (__file__, str(meteor_e.__file__))})
    python = shlex.quote(sys.executable)
    # Neither the working folder nor the caller's PYTHON… variables decide what is imported.
    start = (
        "import sys; sys.path[:1] = sys.path[:1] if sys.path[0] else []; "
        f"sys.path += {roots!r}; from meteor_e_captions.java_shim import main; main(sys.argv[1:], {version!r})"
    )
    return "\n".join(
        [
            "#!/bin/sh",
            MARK,
            f"if [ ! -x {python} ]; then",
            f"    echo java: {shlex.quote(f'{sys.executable} of meteor-e is gone; run meteor-e java-shim again')} >&2",
            "    exit 1",
            "fi",
            f'exec {python} -E -c {shlex.quote(start)} "$@"',
            "",
        ]
    )


def main(arguments: Sequence[str], version: str | None = None) -> NoReturn:
    """Run a call of the program; where a version is given, ``java -version`` tells it."""
    if version is not None and list(arguments) == ["-version"]:
        print(f'openjdk version "{version}"\nThis is no Java: meteor-e java-shim wrote it.', file=sys.stderr)
        sys.exit(0)
    call = JavaCall.parse(arguments)
    if call.program == "meteor":
        from meteor_e.cli.program import main as run

        sys.argv[0] = "meteor-e"
        run(["compat", *call.arguments])
    if call.program == "tokenizer":
        sys.exit(_tokenize(call.arguments))
    for java in _others():
        try:
            os.execv(java, ["java", *arguments])
        except OSError as error:
            _fail(f"{java} cannot be started: {error.strerror}")
    _fail("only METEOR's calls run without Java, and there is no other java on the PATH")


def _fail(message: str) -> NoReturn:
    print(f"java (meteor-e): {message}", file=sys.stderr)
    sys.exit(1)


def _others() -> Iterator[str]:
    """Give every ``java`` on the path that is no shim."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        candidate = Path(folder or ".") / "java"
        if candidate.is_file() and os.access(candidate, os.X_OK) and not _is_shim(candidate):
            yield str(candidate)


def _is_shim(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return MARK.encode() in stream.read(200)
    except OSError:
        return False


def _text(name: str | None) -> bytes:
    """Return what a file holds, or standard input; the tokenizer looks at a text as a whole."""
    with contextlib.nullcontext(sys.stdin.buffer) if name is None else Path(name).open("rb") as stream:
        data = stream.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        _fail(f"{name or 'standard input'}: more than {MAX_TEXT >> 20} MiB of text; split it")
    return data


def _tokenize(arguments: Sequence[str]) -> int:
    """Do what the tokenizer's Java program does with these arguments; return the exit code."""
    from meteor_e_captions.ptb import Tokenizer

    tokenizer = Tokenizer(lowercase="-lowerCase" in arguments)
    files: list[str | None] = [argument for argument in arguments if not argument.startswith("-")]
    try:
        for name in files or [None]:
            tokens = tokenizer.text(_text(name).decode("utf-8", "replace"))
            if "-preserveLines" not in arguments:
                tokens = "".join(f"{token}\n" for line in tokens.split("\n") for token in line.split(" ") if token)
            sys.stdout.buffer.write(tokens.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        _fail(f"{error.filename or 'standard input'}: {error.strerror}")
    return 0
