"""Counts the words in comments that the language of the project does without.

The counts are absolute: a share gets worse when good comments are removed, and new good ones let in bad ones.
"""

import bisect
import re

from . import swift_source

# For each there is a better word, which says which thing is meant, or what it does.
PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in {
    "What or Where begins a sentence": r"(?:^|(?<=\. )|(?<=: ))(?:What|Where)\b",
    "place": r"(?i)(?<!\bin )\bplaces?\b",
    "told, tells": r"(?i)\b(?:told|tells?)\b",
    "so many, so much": r"(?i)\bso\s+(?:many|much)\b",
    "others": r"(?i)\bothers\b",
    "stands": r"(?i)\b(?:stands?|stood)\b(?!-)",
    "worked out": r"(?i)\bwork(?:s|ed)?\s+out\b",
    "has gone": r"(?i)\b(?:has|have|is|are)\s+gone\b",
    "texts": r"(?i)\btexts\b",
    "refused": r"(?i)\brefus\w+",
    "none of": r"(?i)\bnone\s+of\b|\b(?:is|are)\s+none\b",
    "meanwhile": r"(?i)\bmeanwhile\b",
    "As above": r"\bAs\s+(?:above\b|`)",
}.items()}


def occurrences(folder):
    """Where each word occurs: by its name, files with line numbers and the line."""
    found = {name: [] for name in PATTERNS}
    for path, source in swift_source.files(folder):
        lines = list(swift_source.comment_lines(source))
        starts, text = [], ""
        for _, line in lines:
            starts.append(len(text))
            text += line + "\n"
        for name, pattern in PATTERNS.items():
            for match in pattern.finditer(text):
                number, line = lines[bisect.bisect_right(starts, match.start()) - 1]
                found[name].append((path, number, line.strip()))
    return found
