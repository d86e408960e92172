"""Tells the comments of Swift source from its code."""

import re

from . import toolchain

TOKENS = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<string>(?P<marks>#+)"""[\s\S]*?"""(?P=marks)|"""(?:\\.|[\s\S])*?"""'
    r'|(?P<hashes>#+)".*?"(?P=hashes)|"(?:\\.|[^"\\\n])*")',
    re.DOTALL)


def files(folder):
    """The Swift files below a folder, in a steady order, each with its text."""
    for path in toolchain.swift_files(folder):
        yield path, path.read_text(encoding="utf8")


def code(source):
    """The source without comments, and with empty strings. Lines keep their numbers."""
    def blank(match):
        lines = "\n" * match.group().count("\n")
        return lines if match.group("comment") is not None else f'""{lines}'

    return TOKENS.sub(blank, source)


def comment_lines(source):
    """The lines of the comments with their numbers, without the marks."""
    for match in TOKENS.finditer(source):
        if match.group("comment") is None:
            continue
        first = source.count("\n", 0, match.start()) + 1
        for offset, line in enumerate(match.group("comment").split("\n")):
            yield first + offset, re.sub(r"^\s*(///?|/\*+|\*/|\*)\s?|\s*\*/$", "", line)
