"""The circles of a graph."""

import collections


def circles(edges):
    """The sets of nodes that reach each other, those that are used first (Tarjan's algorithm)."""
    neighbours = collections.defaultdict(set)
    for user, used in edges:
        neighbours[user].add(used)
        neighbours[used]
    numbers, lowest, path, on_path, result = {}, {}, [], set(), []

    def visit(room):
        numbers[room] = lowest[room] = len(numbers)
        path.append(room)
        on_path.add(room)
        for next_room in sorted(neighbours[room]):
            if next_room not in numbers:
                visit(next_room)
                lowest[room] = min(lowest[room], lowest[next_room])
            elif next_room in on_path:
                lowest[room] = min(lowest[room], numbers[next_room])
        if lowest[room] == numbers[room]:
            start = path.index(room)
            result.append(set(path[start:]))
            on_path.difference_update(path[start:])
            del path[start:]

    for room in sorted(neighbours):
        if room not in numbers:
            visit(room)
    return result
