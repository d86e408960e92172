"""Measures files, folders, and functions with parameters without labels."""

import collections
import re

from . import swift_source

# A folder with more files than this is noted, and may not grow. Another may not grow beyond it.
MOST_FILES = 25

FUNCTION = re.compile(r"\b(?:func\s+(?P<name>[A-Za-z_`][\w`]*)|init[?!]?)\s*(?:<[^({]*>)?\s*\(")


def files_in_folders(folder):
    """The number of Swift files in each folder."""
    return collections.Counter(path.parent.as_posix() for path, _ in swift_source.files(folder))


def file_lengths(folder):
    """The number of lines of each file with its path, the longest last. The tour is one page of a playground, and only
    linked in the sources."""
    lengths = ((len(source.splitlines()), path) for path, source in swift_source.files(folder))
    return sorted((length, path) for length, path in lengths if not path.is_symlink())


def functions(folder):
    """The functions and initializers: the file, the line, the name and the number of parameters without a label."""
    for path, source in swift_source.files(folder):
        code = swift_source.code(source)
        for match in FUNCTION.finditer(code):
            # `self.init(…)` and `.init(…)` are calls; so is an `init` that a statement begins with.
            if match.group("name") is None and not is_declared(code, match.start()):
                continue
            count = sum(parameter.lstrip().startswith("_ ") for parameter in parameters(code, match.end()))
            yield path, code.count("\n", 0, match.start()) + 1, match.group("name") or "init", count


def is_declared(code, start):
    before = code[code.rfind("\n", 0, start) + 1:start]
    return re.fullmatch(r"\s*(?:(?:@\w+(?:\([^)]*\))?|[a-z]+(?:\([a-z]+\))?)\s+)*", before) is not None


def parameters(code, start):
    """The parameters of the list that begins after a parenthesis."""
    depth, first, found = 0, start, []
    for position in range(start, len(code)):
        character = code[position]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            if depth == 0:
                return found + [code[first:position]]
            depth -= 1
        elif character == "," and depth == 0:
            found.append(code[first:position])
            first = position + 1
    return found
