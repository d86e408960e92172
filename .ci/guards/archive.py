"""The documentation archives of the libraries: how they are made, and what can be wrong with their pages.

An archive is a folder of files, one JSON file for each page. DocC itself warns about links that do not resolve. What it
accepts, and readers would miss, is found in the pages: relative links, which lead nowhere in an archive, and pages whose
members DocC had to group by itself.
"""

import json
import pathlib

from . import toolchain

# Pages with as many members as this need no groups.
FEW = 8
TYPES = {"swift.class", "swift.enum", "swift.protocol", "swift.struct", "swift.actor"}
MEMBERS = {"memberOf", "requirementOf", "optionalRequirementOf"}
# DocC's own groups: what conformances bring along, and types of other modules, which have other names on other platforms.
ACCEPTED = ("Extended Modules", " Implementations")
# Types with Core Data's names are described in Apple's documentation.
APPLE = {"OpenCoreData"}


class Archive:
    """The archive of one module, and the diagnostics that DocC had about it."""

    def __init__(self, module, catalog, search_paths, folder):
        self.module = module
        self.catalog = pathlib.Path(catalog)
        self.graphs = pathlib.Path(folder) / "graphs" / module
        self.path = pathlib.Path(folder) / f"{module}.doccarchive"
        self.graphs.mkdir(parents=True, exist_ok=True)
        extract(module, search_paths, self.graphs)
        report = pathlib.Path(folder) / f"{module}.json"
        convert(self, report)
        self.diagnostics = json.loads(report.read_text())["diagnostics"]

    def pages(self):
        return sorted((self.path / "data").rglob("*.json"))

    def faults(self):
        """A line for each fault."""
        return sorted({*self.warnings(), *self.relative_links(), *self.missing_groups()})

    def warnings(self):
        for item in self.diagnostics:
            if item["severity"] not in ("warning", "error"):
                continue
            file = pathlib.Path(item.get("source", "").removeprefix("file://"))
            file = file.relative_to(pathlib.Path.cwd()) if file.is_relative_to(pathlib.Path.cwd()) else file
            line = item.get("range", {}).get("start", {}).get("line", 1)
            advice = "".join(f"\n    {solution['summary']}" for solution in item.get("solutions", [])[:6])
            yield f"{file}:{line}: {item['summary']}{advice}"

    def relative_links(self):
        for page in self.pages():
            for reference in json.loads(page.read_text()).get("references", {}).values():
                url = reference.get("url", "")
                if reference.get("type") == "link" and not url.startswith(("https://", "http://", "mailto:")):
                    yield f"{self.name(page)} links to {url}, which leads nowhere in an archive: use <doc:Name>"

    def missing_groups(self):
        """The pages of the module and of its larger types that leave groups to DocC."""
        counts = self.member_counts()
        for page in self.pages():
            content = json.loads(page.read_text())
            identifier = content.get("metadata", {}).get("externalID")
            is_module = content.get("metadata", {}).get("symbolKind") == "module"
            if not is_module and (counts.get(identifier, 0) <= FEW or self.module in APPLE):
                continue
            references = content.get("references", {})
            for section in content.get("topicSections", []):
                found = [references.get(item, {"title": item}) for item in section["identifiers"]]
                titles = [item["title"] for item in found if not item.get("deprecated")]
                left = [title for title in titles if not title.endswith(ACCEPTED)]
                if section.get("generated") and left and section.get("title") not in ACCEPTED:
                    yield f"{self.name(page)} has {', '.join(left)} in no group of its Topics"

    def member_counts(self):
        """How many members the types of the module have, by their identifiers."""
        symbols, members = {}, {}
        for path in self.graphs.glob("*.symbols.json"):
            graph = json.loads(path.read_text())
            symbols |= {item["identifier"]["precise"]: item for item in graph["symbols"]}
            for relation in graph["relationships"]:
                if relation["kind"] in MEMBERS:
                    members.setdefault(relation["target"], set()).add(relation["source"])
        return {
            usr: len(members.get(usr, ())) for usr, symbol in symbols.items() if symbol["kind"]["identifier"] in TYPES
        }

    def name(self, page):
        return f"{self.catalog}: {page.relative_to(self.path / 'data').with_suffix('')}"


def extract(module, search_paths, folder):
    """Writes the symbol graphs of a module into a folder, with what it adds to types of other modules."""
    command = ["swift", "symbolgraph-extract", "-module-name", module, "-target", toolchain.triple()]
    command += ["-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols"]
    for path in search_paths:
        command += ["-I", path]
    toolchain.run(command + ["-output-dir", folder])


def convert(archive, report):
    command = ["docc", "convert", archive.catalog, "--additional-symbol-graph-dir", archive.graphs]
    command += ["--output-dir", archive.path, "--diagnostics-file", report]
    command += ["--fallback-display-name", archive.module, "--fallback-bundle-identifier", archive.module]
    toolchain.run(command)


def merge(archives, path):
    """Makes one archive of several."""
    command = ["docc", "merge", *(archive.path for archive in archives), "--output-path", path]
    command += ["--synthesized-landing-page-name", "Sworm", "--synthesized-landing-page-topics-style", "list"]
    toolchain.run(command)
