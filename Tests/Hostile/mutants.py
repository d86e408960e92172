#!/usr/bin/env python3
"""Damages stores, models and dumps at random, and runs sworm-tool on each in a process of its own.

usage: mutants.py TOOL FOLDER [--walk WALK] [--count N] [--seed N] [--jobs N] [--keep FOLDER]

TOOL is the built program (swift build -c release --product sworm-tool), and WALK the one of this package. Stores are found in FOLDER by their header. A mutant
fails when its process ends by a signal, runs for more than 20 seconds, or takes more than 300 MB; the program then ends with 1,
and the failing files are kept. Reports of a sanitizer count as failures as well; with one, the bound for memory does not hold.
"""

import argparse
import concurrent.futures
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

LIMIT_SECONDS = 20
LIMIT_KILOBYTES = 300 * 1024
LARGEST_STORE = 3_000_000
COMMANDS = ["inspect", "verify", "dump", "query", "copy", "model", "model-xml", "diff", "rebuild", "migrate"]
NUMBERS = [
    -(1 << 63), (1 << 63) - 1, -1, 0, 1, 2, 255, 65535, 1 << 31, 1 << 32, 1 << 62, -(1 << 31), 999, 1e308, -0.0, float("inf"),
]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("folder")
    parser.add_argument("--walk", help="the program that reads and changes objects")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", default="mutants")
    parser.add_argument("--any-memory", action="store_true", help="do not bound the memory, as for a sanitizer")
    return parser.parse_args()


def stores(folder):
    found = []
    for path, _, names in os.walk(folder, followlinks=True):
        for name in names:
            file = os.path.join(path, name)
            try:
                with open(file, "rb") as handle:
                    if handle.read(16) == b"SQLite format 3\0" and os.path.getsize(file) <= LARGEST_STORE:
                        found.append(file)
            except OSError:
                continue
    return sorted(found)


def models(folder):
    found = []
    for path, folders, names in os.walk(folder, followlinks=True):
        found += [os.path.join(path, name) for name in names if name.endswith(".mom")]
        found += [os.path.join(path, name) for name in folders if name.endswith(".xcdatamodel")]
    return sorted(found)


def flip(data, rng):
    """Changes bits, bytes, or runs of bytes."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16, 64])):
        if not data:
            break
        place = rng.randrange(len(data)) if rng.random() < 0.7 else rng.randrange(min(len(data), 4096))
        kind = rng.randrange(4)
        if kind == 0:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[place] = rng.choice([0, 1, 127, 128, 255])
        elif kind == 2:
            length = min(rng.randrange(1, 65), len(data) - place)
            data[place:place + length] = bytes(rng.randrange(256) for _ in range(length))
        else:
            other = rng.randrange(len(data))
            length = min(rng.choice([8, 64, 4096]), len(data) - place, len(data) - other)
            data[place:place + length] = data[other:other + length]
    if rng.random() < 0.1:
        data = data[:rng.randrange(len(data) + 1)]
    return bytes(data)


def lie(path, rng):
    """Puts values into rows that no row can have."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for _ in range(rng.choice([1, 2, 5, 20])):
        table = rng.choice(tables)
        try:
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            column = rng.choice(columns)
            value = rng.choice(
                NUMBERS + [None, "", "x", b"", b"\x02" * 38, b"bplist00" + bytes(range(40)), rng.randbytes(20), "9" * 400,
                    "\x00", "\ud7ff"])
            where = "" if rng.random() < 0.3 else "WHERE rowid IN (SELECT rowid FROM \"%s\" ORDER BY random() LIMIT 3)" % table
            connection.execute(f'UPDATE "{table}" SET "{column}" = ? {where}', (value,))
        except (sqlite3.Error, OverflowError):
            continue
    if rng.random() < 0.1:
        try:
            text = next(connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY random() LIMIT 1"))[0]
            place = rng.randrange(len(text))
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE sql = ?", (text[:place] + "x" + text[place + 1:], text))
        except (sqlite3.Error, StopIteration):
            pass
    try:
        connection.commit()
    except sqlite3.Error:
        pass
    connection.close()


def lists(path, rng):
    """Damages the property lists and the cache in a store."""
    connection = sqlite3.connect(path)
    for table, column in [("Z_METADATA", "Z_PLIST"), ("Z_MODELCACHE", "Z_CONTENT")]:
        try:
            for rowid, data in list(connection.execute(f"SELECT rowid, {column} FROM {table}")):
                if data and rng.random() < 0.8:
                    if table == "Z_MODELCACHE" and rng.random() < 0.7:
                        import zlib
                        try:
                            data = zlib.compress(flip(zlib.decompress(data), rng))
                        except zlib.error:
                            data = flip(data, rng)
                    else:
                        data = flip(data, rng)
                    connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (data, rowid))
        except sqlite3.Error:
            continue
    connection.commit()
    connection.close()


def make(folder, store, rng, dumps, known):
    """Makes a mutant.

    Returns the words behind the program's name."""
    path = os.path.join(folder, "Store.sqlite")
    model = next((m for m in known if os.path.dirname(store) in m), None)
    kind = rng.choice(["bytes", "bytes", "rows", "rows", "lists", "model", "dump"])
    if kind == "model" and known:
        source = rng.choice(known)
        file = os.path.join(folder, "M" + os.path.splitext(source)[1])
        if os.path.isdir(source):
            shutil.copytree(source, file)
            inner = os.path.join(file, "contents")
        else:
            shutil.copy(source, file)
            inner = file
        if os.path.exists(inner):
            with open(inner, "rb") as handle:
                data = flip(handle.read(), rng)
            with open(inner, "wb") as handle:
                handle.write(data)
        return ["model", file] + rng.choice([[], ["--swift"], ["--classes"], ["--xml"], ["--json"]])
    shutil.copy(store, path)
    if os.path.exists(store + "-wal"):
        shutil.copy(store + "-wal", path + "-wal")
    if kind == "dump" and store in dumps:
        file = os.path.join(folder, "dump.ndjson")
        with open(file, "wb") as handle:
            handle.write(flip(dumps[store], rng))
        return ["import", file, os.path.join(folder, "New.sqlite"), "--model", path]
    try:
        if kind == "rows":
            lie(path, rng)
        elif kind == "lists":
            lists(path, rng)
    except sqlite3.Error:
        kind = "bytes"
    if kind == "bytes":
        target = path + "-wal" if os.path.exists(path + "-wal") and rng.random() < 0.4 else path
        with open(target, "rb") as handle:
            data = flip(handle.read(), rng)
        with open(target, "wb") as handle:
            handle.write(data)
    if kind != "lists" and rng.random() < 0.4:
        return ["WALK", path]
    command = rng.choice(COMMANDS)
    option = ["--model", model] if model and rng.random() < 0.3 else []
    new = os.path.join(folder, "New.sqlite")
    if command in ("copy", "rebuild"):
        return [command, path, new] + (option if command == "rebuild" else [])
    if command == "diff":
        return ["diff", path, store] + option
    if command == "model-xml":
        return ["model", path, rng.choice(["--xml", "--swift", "--classes", "--json"])] + option
    if command == "migrate":
        target = rng.choice(known) if known else path
        return ["migrate", path, "--model", target]
    if command == "query":
        connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
        try:
            names = [row[0] for row in connection.execute("SELECT Z_NAME FROM Z_PRIMARYKEY")]
        except sqlite3.Error:
            names = ["X"]
        connection.close()
        return ["query", path, rng.choice(names), "--format", rng.choice(["table", "csv", "json"])] + option
    return [command, path] + option


def run(arguments, number, files, dumps, known):
    rng = random.Random(arguments.seed * 1_000_003 + number)
    store = rng.choice(files)
    folder = tempfile.mkdtemp(prefix="mutant-")
    try:
        words = make(folder, store, rng, dumps, known)
        program = arguments.tool
        if words[0] == "WALK":
            if not arguments.walk:
                shutil.rmtree(folder, ignore_errors=True)
                return number, None, words, None
            program, words = arguments.walk, words[1:]
        output = os.path.join(folder, "output")
        with open(output, "wb") as sink:
            process = subprocess.Popen(
                [program] + words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sink,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
            end = time.monotonic() + LIMIT_SECONDS
            status = None
            while time.monotonic() < end:
                identifier, state, usage = os.wait4(process.pid, os.WNOHANG)
                if identifier:
                    status = state
                    break
                time.sleep(0.002)
            if status is None:
                os.kill(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                return number, "hang", words, folder
        process.returncode = 0
        if os.WIFSIGNALED(status):
            return number, f"signal {os.WTERMSIG(status)}", words, folder
        with open(output, "rb") as handle:
            if b"Sanitizer" in handle.read():
                return number, "sanitizer", words, folder
        if usage.ru_maxrss > LIMIT_KILOBYTES and not arguments.any_memory:
            return number, f"{usage.ru_maxrss // 1024} MB", words, folder
        shutil.rmtree(folder, ignore_errors=True)
        return number, None, words, None
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def main():
    arguments = parse_arguments()
    files = stores(arguments.folder)
    known = models(arguments.folder)
    dumps = {}
    for file in files:
        result = subprocess.run([arguments.tool, "dump", file], capture_output=True)
        if result.returncode == 0 and len(result.stdout) < 2_000_000:
            dumps[file] = result.stdout
    print(f"{len(files)} stores, {len(known)} models, {len(dumps)} dumps, seed {arguments.seed}", flush=True)
    failures = 0
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = (pool.submit(run, arguments, number, files, dumps, known) for number in range(arguments.count))
        for done in jobs if arguments.jobs == 1 else list(jobs):
            number, failure, words, folder = done.result()
            if failure:
                failures += 1
                kept = os.path.join(arguments.keep, str(number))
                os.makedirs(arguments.keep, exist_ok=True)
                shutil.rmtree(kept, ignore_errors=True)
                shutil.move(folder, kept)
                print(f"{number}: {failure}: {' '.join(words)} (kept in {kept})", flush=True)
    print(f"{arguments.count} mutants, {failures} failures, {time.monotonic() - begin:.0f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
