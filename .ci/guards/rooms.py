"""Which folder of a target uses which, and the references that run against the best order of the folders.

In that order a folder uses only those below it, with as few exceptions as possible. These are the references that run
back up.
"""

import collections

# With more folders in one circle the search would take minutes.
LARGEST_CIRCLE = 16


class Rooms:
    """The folders of one target, with the references between them."""

    def __init__(self, target, index):
        self.references = collections.defaultdict(list)
        for reference in index.references:
            file = index.files_of_symbols.get(reference.usr)
            used, user = self.room(target, file), self.room(target, reference.file)
            if used and user and used != user:
                self.references[user, used].append(reference)
        self.order = best_order({edge: len(found) for edge, found in self.references.items()})

    @staticmethod
    def room(target, file):
        if file is None or file.parts[0] != target:
            return None
        return file.parts[1] if len(file.parts) > 2 else "(root)"

    @property
    def back_references(self):
        """Those of a folder to one above it, by both."""
        height = {room: index for index, room in enumerate(self.order)}
        return {edge: found for edge, found in self.references.items() if height[edge[0]] < height[edge[1]]}

    @property
    def back_count(self):
        return sum(len(found) for found in self.back_references.values())


def best_order(weights):
    """The folders from bottom to top, with the least weight of edges from a lower to a higher one.

    Only edges inside a circle can run back up, so that each circle is put in order alone.
    """
    order = []
    for circle in circles(weights):
        inner = {edge: weight for edge, weight in weights.items() if edge[0] in circle and edge[1] in circle}
        order += ordered(sorted(circle), inner)
    return order


def circles(edges):
    """The sets of rooms that reach each other, those that are used first (Tarjan's algorithm)."""
    neighbours = collections.defaultdict(set)
    for user, used in edges:
        neighbours[user].add(used)
        neighbours[used]
    numbers, lowest, path, result = {}, {}, [], []

    def visit(room):
        numbers[room] = lowest[room] = len(numbers)
        path.append(room)
        for next_room in sorted(neighbours[room]):
            if next_room not in numbers:
                visit(next_room)
                lowest[room] = min(lowest[room], lowest[next_room])
            elif next_room in path:
                lowest[room] = min(lowest[room], numbers[next_room])
        if lowest[room] == numbers[room]:
            start = path.index(room)
            result.append(set(path[start:]))
            del path[start:]

    for room in sorted(neighbours):
        if room not in numbers:
            visit(room)
    return result


def ordered(rooms, weights):
    """The exact best order, by dynamic programming over the sets of rooms at the bottom."""
    if len(rooms) > LARGEST_CIRCLE:
        return improved(rooms, weights)
    count = len(rooms)
    weight = [[weights.get((user, used), 0) for used in rooms] for user in rooms]
    costs, choices = [0] + [None] * ((1 << count) - 1), [None] * (1 << count)
    for bottom in range(1 << count):
        members = [room for room in range(count) if bottom >> room & 1]
        for room in range(count):
            if bottom >> room & 1:
                continue
            cost = costs[bottom] + sum(weight[member][room] for member in members)
            larger = bottom | 1 << room
            if costs[larger] is None or cost < costs[larger]:
                costs[larger], choices[larger] = cost, room
    order, bottom = [], (1 << count) - 1
    while bottom:
        order.append(rooms[choices[bottom]])
        bottom ^= 1 << choices[bottom]
    return order[::-1]


def improved(rooms, weights):
    """A good order: each room is moved to where it costs least, until no move helps."""
    def cost(order):
        height = {room: index for index, room in enumerate(order)}
        return sum(weight for (user, used), weight in weights.items() if height[user] < height[used])

    best = list(rooms)
    while True:
        moves = []
        for room in best:
            others = [other for other in best if other != room]
            moves += [others[:index] + [room] + others[index:] for index in range(len(best))]
        next_best = min(moves, key=cost)
        if cost(next_best) >= cost(best):
            return best
        best = next_best
