"""The declared order of the rooms, the references that run against it, and the cycles of files."""

import sys

from . import circles, toolchain

LONGEST_CYCLE = 12


class Order:
    """The rooms of each target as they are declared in a file, from the lowest to the highest."""

    def __init__(self, text):
        self.rooms = {}
        self.cycles = {}
        target = None
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            name = words[0]
            if line[0].isspace():
                if target is None or name in self.rooms[target]:
                    raise toolchain.Failure(f"Line {number} of the order of rooms has no target, or a room twice: {line}")
                self.rooms[target].append(name)
                name = f"{target}/{name}"
            else:
                target = name
                self.rooms.setdefault(target, [])
            if len(words) > 1:
                self.cycles[name] = int(words[1])

    def room(self, file):
        """The room of a file of a declared target: the longest declared folder that it is in; nothing for none."""
        folders = "/".join(file.parts[1:-1])
        found = [room for room in self.rooms[file.parts[0]] if (folders + "/").startswith(room + "/")]
        return max(found, key=len, default=None)

    def missing(self, files):
        """The files that are in no declared room, and the rooms that have no files."""
        placed = {(file.parts[0], self.room(file)) for file in files if file.parts[0] in self.rooms}
        strays = sorted(
            file for file in files if file.parts[0] in self.rooms and self.room(file) is None and len(file.parts) > 2)
        empty = [(target, room) for target, names in self.rooms.items() for room in names if (target, room) not in placed]
        return strays, empty

    def upward(self, index):
        """The references from a room to a higher one, with the file that is referred to."""
        for reference in index.references:
            used = index.files_of_symbols.get(reference.usr)
            target = reference.file.parts[0]
            if used is None or used.parts[0] != target or target not in self.rooms:
                continue
            names, low, high = self.rooms[target], self.room(reference.file), self.room(used)
            if low and high and names.index(low) < names.index(high):
                yield reference, used

    def limit(self, files):
        """How long a cycle of these files may be."""
        names = {file.parts[0] for file in files} | {
            f"{file.parts[0]}/{self.room(file)}" for file in files if file.parts[0] in self.rooms}
        return max([LONGEST_CYCLE] + [self.cycles[name] for name in names if name in self.cycles])


def cycles(index):
    """The sets of files of a target that refer to each other in a circle, the largest first."""
    edges = set()
    for reference in index.references:
        used = index.files_of_symbols.get(reference.usr)
        if used and used != reference.file and used.parts[0] == reference.file.parts[0]:
            edges.add((reference.file, used))
    sys.setrecursionlimit(100_000)
    return sorted((found for found in circles.circles(edges) if len(found) > 1), key=lambda found: (-len(found), min(found)))
