"""The Swift toolchain in PATH, and the package in the current folder."""

import functools
import json
import pathlib
import subprocess


class Failure(Exception):
    """A message for the person who runs the guard."""


def run(command):
    """Runs a command and returns its output."""
    try:
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    except FileNotFoundError:
        raise Failure(f"There is no {command[0]} in PATH.") from None
    if result.returncode != 0:
        output = (result.stdout + result.stderr).strip()
        raise Failure(f"{' '.join(str(part) for part in command)} failed:\n{output[-4000:]}")
    return result.stdout


@functools.lru_cache(maxsize=None)
def target_info():
    return json.loads(run(["swift", "-print-target-info"]))


def triple():
    return target_info()["target"]["triple"]


def index_library():
    """The library that reads the compiler's index. It is part of the toolchain."""
    resources = pathlib.Path(target_info()["paths"]["runtimeResourcePath"])
    for name in ["libIndexStore.so", "libIndexStore.dylib"]:
        if (resources.parent / name).exists():
            return resources.parent / name
    raise Failure(f"There is no libIndexStore in {resources.parent}.")


def build():
    """Builds the package for debugging and returns the folder with the products."""
    run(["swift", "build", "--build-tests"])
    return pathlib.Path(run(["swift", "build", "--show-bin-path"]).strip())


def swift_files(folder):
    """The Swift files below a folder that the package compiles, sorted. Those in documentation catalogs are not."""
    files = pathlib.Path(folder).rglob("*.swift")
    return sorted(path for path in files if not any(part.endswith(".docc") for part in path.parts))


def system_modules():
    """The folders of the C libraries that the package declares."""
    return sorted(path.parent for path in pathlib.Path("Sources").glob("*/module.modulemap"))
