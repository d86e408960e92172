"""The figures of the code that may not get worse, and the comparison with those that are noted."""

import collections

from . import metrics, words

# The limit of a figure that is not noted.
DEFAULTS = collections.defaultdict(int, {"files in a folder": metrics.MOST_FILES})
OF_FILES = ["lines of the 90th percentile", "lines of the longest"]
OF_FUNCTIONS = [
    "percent with two or more parameters without a label", "with three or more parameters without a label",
]
# By how much a figure may exceed the noted one, because unrelated changes move it.
SLACK = {("files", OF_FILES[0]): 2, ("functions", OF_FUNCTIONS[0]): 0.1}


def measured(folder):
    """The figures by group and name. Less is better in all of them."""
    lengths = [length for length, _ in metrics.file_lengths(folder)]
    unlabelled = [count for *_, count in metrics.functions(folder)]
    several, many = sum(count >= 2 for count in unlabelled), sum(count >= 3 for count in unlabelled)
    return {
        "files": dict(zip(OF_FILES, [lengths[len(lengths) * 9 // 10], lengths[-1]])),
        "files in a folder": metrics.files_in_folders(folder),
        "functions": dict(zip(OF_FUNCTIONS, [round(100 * several / max(1, len(unlabelled)), 2), many])),
        "words in comments": {name: len(found) for name, found in words.occurrences(folder).items()},
    }


def compared(noted, found):
    """Each figure that is worse or better than the noted one: group, name, the noted figure and the found one."""
    worse, better = [], []
    for group in sorted(noted.keys() | found.keys()):
        before, after = noted.get(group, {}), found.get(group, {})
        for name in sorted(before.keys() | after.keys()):
            limit, figure = before.get(name, DEFAULTS[group]), after.get(name, 0)
            if figure > limit + SLACK.get((group, name), 0):
                worse.append((group, name, limit, figure))
            elif figure < limit and name in before:
                better.append((group, name, limit, figure))
    return worse, better


def improved(noted, found):
    """The noted figures, lowered where the found ones are better. A figure like its default need not be noted."""
    result = {}
    for group in sorted(noted.keys() | found.keys()):
        before, after = noted.get(group, {}), found.get(group, {})
        figures = {name: min(before.get(name, DEFAULTS[group]), after.get(name, 0)) for name in before}
        result[group] = {name: figure for name, figure in sorted(figures.items()) if figure > DEFAULTS[group]}
    return result
