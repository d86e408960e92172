#!/usr/bin/env python3
"""Compares two builds of the benchmarks: runs them in turns and prints the median of the ratios new/old of each bench.

OLD and NEW are the built programs (.build/release/Benchmarks of two clones). A ratio above 1 means that NEW is worse.
A bench that does the same work by hand is measured against that, inside its own run, so that a busy machine slows down
both; of any other bench the time is compared. First OLD is compared with itself for a third of the rounds: the spread
of that is the noise. The program ends with 1 when the median of a bench is above the limit and by more than the noise.
"""

import argparse
import json
import statistics
import subprocess
import sys


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="only benches whose names contain this")
    parser.add_argument("--rounds", metavar="N", type=int, default=7, help="how often each build runs")
    parser.add_argument("--limit", metavar="RATIO", type=float, default=1.03, help="the highest ratio that is accepted")
    parser.add_argument("--quick", action="store_true", help="fewer rows and repetitions in every run")
    return parser.parse_args()


def run(program, arguments):
    """The figures of one run, by the name of the bench."""
    command = [program, "--json"] + (["--quick"] if arguments.quick else [])
    for name in arguments.only:
        command += ["--only", name]
    result = subprocess.run(command, capture_output=True, text=True)
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    if not rows:
        sys.exit(f"{program} printed no figures: {result.stderr.strip()[:500]}")
    return {row["bench"]: cost(row) for row in rows}


def cost(row):
    """The figure that a slower program has more of, or nothing where there is none."""
    if row["ratio_raw"]:
        return row["ratio_raw"]
    if not row["own"] or row["own"] < 0:
        return None
    return 1 / row["own"] if row["more_is_better"] else row["own"]


def paired(first, second, rounds, arguments):
    """The ratios of pairs of runs, by the name of the bench. Every other pair runs in the other order."""
    ratios = {}
    for turn in range(rounds):
        if turn % 2 == 0:
            before, after = run(first, arguments), run(second, arguments)
        else:
            after, before = run(second, arguments), run(first, arguments)
        for name in before.keys() & after.keys():
            if before[name] and after[name]:
                ratios.setdefault(name, []).append(after[name] / before[name])
    return ratios


def main():
    arguments = parse_arguments()
    noise = paired(arguments.old, arguments.old, max(2, arguments.rounds // 3), arguments)
    found = paired(arguments.old, arguments.new, arguments.rounds, arguments)
    print(f"{'bench':44} {'new/old':>8} {'lowest':>8} {'highest':>8} {'noise':>8}")
    worse = []
    for name, ratios in sorted(found.items()):
        spread = max(abs(ratio - 1) for ratio in noise.get(name, [1]))
        median = statistics.median(ratios)
        is_worse = median > arguments.limit and median - 1 > spread
        if is_worse:
            worse.append(name)
        mark = "  WORSE" if is_worse else ""
        print(f"{name:44} {median:8.3f} {min(ratios):8.3f} {max(ratios):8.3f} {spread:8.3f}{mark}")
    if worse:
        sys.exit(f"above {arguments.limit}: {', '.join(worse)}")


main()
