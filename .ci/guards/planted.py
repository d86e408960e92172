"""Small modules with and without faults, by which the checks show that they can fail."""

import json

from . import index, toolchain

SOUND = {
    "Lower/Lower.swift": """
/// Counts rows, in place.
struct Lower {
    func twice(_ first: Int, of second: Int) {}
}
""",
    "Upper/Upper.swift": """
struct Upper {
    var lower = Lower()
    var name = "What is told // to others"
}
""",
}


def circle(count):
    """Files of which each refers to the next, and the last to the first."""
    return {f"Upper/Circle{number}.swift": f"enum Circle{number} {{ static var next: Any {{ Circle{(number + 1) % count}.self }} }}\n"
            for number in range(count)}


def write(root, files):
    """Writes files of the module `Planted`; their paths below the folder of sources."""
    paths = []
    for name, text in files.items():
        path = root / "Sources/Planted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths.append(path.relative_to(root / "Sources"))
    return paths


def compiled(root):
    """The index of the module."""
    files = sorted((root / "Sources").rglob("*.swift"))
    command = ["swiftc", "-parse-as-library", "-module-name", "Planted", "-c", "-index-store-path", root / "index"]
    output_map = {str(file): {"object": f"{root}/{file.stem}.o"} for file in files}
    (root / "output.json").write_text(json.dumps(output_map))
    toolchain.run(command + ["-output-file-map", root / "output.json", *files])
    return index.Index(root / "index", root / "Sources")
