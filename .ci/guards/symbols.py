"""The public declarations of a module, one a line, read from its symbol graph.

A line begins with the path of the declaration, so that sorted lines keep the members of a type together:

    Request.limit(_:): func limit(_ count: Int) -> Request<PlainObject>

The compiler leaves out inherited and synthesized members. Conformances and superclasses are lines too. Requirements of
a protocol are marked, because a new one breaks the types that conform.
"""

import collections
import functools
import json
import pathlib
import re

from . import toolchain

# Every type has them unless it says otherwise, or has them by another conformance that is listed.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
# Every subclass of NSObject has them.
OF_NSOBJECT = {
    "CVarArg", "CustomDebugStringConvertible", "CustomStringConvertible", "Equatable", "Hashable", "NSObjectProtocol",
}


def extract(module, search_paths, folder):
    """Writes the symbol graphs of a module, its extensions of other modules' types included, into a folder."""
    command = ["swift", "symbolgraph-extract", "-module-name", module, "-target", toolchain.triple()]
    command += ["-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs"]
    for path in search_paths:
        command += ["-I", path]
    toolchain.run(command + ["-output-dir", folder])
    graphs = [f"{module}.symbols.json", f"{module}@*.symbols.json"]
    return [json.loads(path.read_text()) for name in graphs for path in sorted(pathlib.Path(folder).glob(name))]


def declarations(graphs):
    """The sorted lines of a module's graphs."""
    return Declarations(graphs).lines()


class Declarations:
    def __init__(self, graphs):
        self.symbols = {item["identifier"]["precise"]: item for graph in graphs for item in graph["symbols"]}
        self.relations = collections.defaultdict(list)
        for graph in graphs:
            for item in graph["relationships"]:
                self.relations[item["kind"], item["source"]].append(item)

    def lines(self):
        declarations = []
        for usr, symbol in self.symbols.items():
            is_requirement = ("requirementOf", usr) in self.relations
            declarations.append(f"{path(symbol)}: {declaration(symbol, self.parent(usr), is_requirement)}")
        # A conformance may be in the graphs of two modules.
        ancestors = set()
        for (kind, usr), found in self.relations.items():
            if kind == "inheritsFrom":
                ancestors |= {f"{self.name(usr)}: inherits {self.target(item)}" for item in found}
            if kind == "conformsTo":
                ancestors |= set(self.conformances(usr, found))
        return sorted(declarations + list(ancestors))

    def related(self, kind, usr):
        return self.relations.get((kind, usr), [])

    def parent(self, usr):
        for item in self.related("memberOf", usr) + self.related("requirementOf", usr):
            return self.symbols.get(item["target"])
        return None

    def conformances(self, usr, found):
        generics = self.symbols.get(usr, {}).get("swiftGenerics")
        skipped = IMPLIED | self.inherited_conformances(usr)
        lines = []
        for item in found:
            name = self.target(item)
            if name in skipped:
                continue
            own = [text for text in constraints(item, "swiftConstraints") if text not in constraints(generics)]
            lines.append(f"{self.name(usr)}: conforms to {name}" + (f" where {', '.join(own)}" if own else ""))
        return lines

    def inherited_conformances(self, usr):
        names = set()
        for item in self.related("inheritsFrom", usr):
            if self.target(item) == "NSObject":
                names |= OF_NSOBJECT
            names |= {self.target(other) for other in self.related("conformsTo", item["target"])}
            names |= self.inherited_conformances(item["target"])
        return names

    def name(self, usr):
        """The path of a type. One of another module, which an extension makes conform, is not among the symbols."""
        return path(self.symbols[usr]) if usr in self.symbols else demangled(usr)

    def target(self, relation):
        usr = relation["target"]
        return path(self.symbols[usr]) if usr in self.symbols else without_module(relation.get("targetFallback", usr))


def path(symbol):
    return ".".join(symbol["pathComponents"])


def without_module(name):
    return name.split(".", 1)[-1]


@functools.lru_cache(maxsize=None)
def demangled(usr):
    return without_module(toolchain.run(["swift", "demangle", "--compact", "$" + usr.replace(":", "", 1)]).strip())


def declaration(symbol, parent, is_requirement):
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    text = re.sub(r"\s+", " ", text)
    # The compiler leaves out the arguments of `some Sequence<Element>` where the element is a parameter of its own.
    own = [item for item in constraints(symbol.get("swiftGenerics")) if "some " in item and "(some " in item]
    extending = [
        item for item in constraints(symbol.get("swiftExtension"))
        if parent is None or item not in constraints(parent.get("swiftGenerics"))
    ]
    missing = [item for item in extending + own if item not in text]
    if missing:
        text += (", " if " where " in text else " where ") + ", ".join(missing)
    if symbol["accessLevel"] == "open":
        text = "open " + text
    if is_requirement:
        text = "requirement " + text
    return " ".join(availability(symbol) + [text])


def constraints(generics, key="constraints"):
    signs = {"sameType": " == "}
    found = [item for item in (generics or {}).get(key, []) if item["rhs"] not in IMPLIED]
    return sorted(item["lhs"] + signs.get(item["kind"], " : ") + item["rhs"] for item in found)


def availability(symbol):
    """The attributes without their messages, which may change at any time."""
    attributes = []
    for item in symbol.get("availability", []):
        parts = [item.get("domain", "*")]
        for key in ["introduced", "deprecated", "obsoleted"]:
            if key in item:
                version = item[key]
                parts.append(f"{key}: {version.get('major', 0)}.{version.get('minor', 0)}")
        if item.get("isUnconditionallyDeprecated"):
            parts.append("deprecated")
        if item.get("isUnconditionallyUnavailable"):
            parts.append("unavailable")
        attributes.append(f"@available({', '.join(parts)})")
    return sorted(attributes)
