#!/usr/bin/env python3
"""Where the time of building and testing goes, in processor seconds: `./dev time`.

    loop_time.py build FOLDER SECONDS   reads what a build with clang's -ftime-trace left in its folder; processors
                                        worked SECONDS for it
    loop_time.py test FOLDER            runs the tests of a build twice, with an empty kernel cache and with that of
                                        the first run: compilers of kernels (gcc, NVRTC) take the difference

Prints tables in Markdown.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SLOWEST = 10
ROOT = pathlib.Path(__file__).resolve().parent.parent


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    print()


def largest(seconds, count=None):
    return sorted(seconds.items(), key=lambda item: -item[1])[:count]


# ---- Building -------------------------------------------------------------------------------------------


def edges(folder):
    """The seconds that each output took to make. Outputs of one command count once."""
    made = {}
    for line in (folder / ".ninja_log").read_text().splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, command = line.split("\t")
        made[command, start] = (output, (int(end) - int(start)) / 1000)
    return made.values()


def target_of(output):
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    if found:
        return found.group(1)
    return "moc" if "autogen" in output else "links"


def traced_sources(folder):
    """The seconds of each file of ours and each foreign header, with all that it includes."""
    ours, foreign = collections.Counter(), collections.Counter()
    for trace in folder.rglob("*.json"):
        if "CMakeFiles" not in trace.parts:
            continue
        try:
            events = json.loads(trace.read_text())["traceEvents"]
        except (KeyError, TypeError, json.JSONDecodeError):
            continue
        for event in events:
            if event.get("name") != "Source":
                continue
            file = pathlib.Path(os.path.normpath(event["args"]["detail"]))
            if folder in file.parents:
                continue
            if ROOT in file.parents:
                ours[str(file.relative_to(ROOT))] += event["dur"] / 1e6
            else:
                foreign[str(file)] += event["dur"] / 1e6
    return ours, foreign


def report_build(folder, spent):
    made = list(edges(folder))
    # Ninja knows when a command began and ended: on a busy machine that is longer than processors worked for it.
    busy = sum(seconds for _, seconds in made) / float(spent)
    targets, files = collections.Counter(), collections.Counter()
    for output, seconds in made:
        targets[target_of(output)] += seconds / busy
        files[output] += seconds / busy
    print(f"Building took {spent} processor seconds.\n")
    shown = largest(targets, 2 * SLOWEST)
    rest = sum(targets.values()) - sum(seconds for _, seconds in shown)
    print_table(["target", "s"], shown + [(f"{len(targets) - len(shown)} others", rest)])
    print_table(["slowest to compile", "s"], largest(files, SLOWEST))
    for what, parsed in zip(["our files, parsed with all they include", "foreign headers"], traced_sources(folder)):
        print_table([what, "s"], [(file, seconds / busy) for file, seconds in largest(parsed, SLOWEST)])


# ---- Testing --------------------------------------------------------------------------------------------


def listed_tests(folder):
    shown = subprocess.run(
        ["ctest", "--test-dir", folder, "-LE", "^(slow|whole)$", "--show-only=json-v1"],
        check=True, capture_output=True, text=True).stdout
    return [test for test in json.loads(shown)["tests"] if "command" in test]


def environment_of(test, cache):
    environment = dict(os.environ, THALLO_CACHE_DIR=str(cache))
    for entry in test.get("properties", []):
        if entry["name"] == "ENVIRONMENT":
            environment.update(line.split("=", 1) for line in entry["value"])
    return environment


def processor_seconds(command, environment, folder):
    """Those of the process and of all that it has waited for."""
    child = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def run_all(tests, folder, cache):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        seconds = threads.map(lambda test: processor_seconds(test["command"], environment_of(test, cache), folder),
                              tests)
        return dict(zip((test["name"] for test in tests), seconds))


def suite_of(name):
    return name.split("/")[0]


def report_tests(folder):
    tests = listed_tests(folder)
    cache = pathlib.Path(tempfile.mkdtemp(prefix="thallo-time-"))
    try:
        cold = run_all(tests, folder, cache)
        warm = run_all(tests, folder, cache)
    finally:
        shutil.rmtree(cache)
    starts, rows = {}, collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    for test in tests:
        suite = suite_of(test["name"])
        if suite not in starts:
            program = test["command"][0]
            starts[suite] = processor_seconds([program, "--gtest_filter=-*"], dict(os.environ), folder)
        row = rows[suite]
        row[0] += 1
        row[1] += min(starts[suite], warm[test["name"]])
        row[2] += max(0.0, cold[test["name"]] - warm[test["name"]])
        row[3] += max(0.0, warm[test["name"]] - starts[suite])
    table = [(suite, cases, start, compilers, rest, start + compilers + rest)
             for suite, (cases, start, compilers, rest) in rows.items()]
    table.sort(key=lambda row: -row[-1])
    total = ("all", *(sum(row[column] for row in table) for column in range(1, 6)))
    print(f"Testing took {total[-1]:.0f} processor seconds.\n")
    print_table(["suite", "cases", "starting", "compilers", "rest", "s"], [total] + table)
    print_table(["slowest case", "s"], largest(cold, 2 * SLOWEST))


def main(arguments):
    match arguments:
        case ["build", folder, spent]:
            report_build(pathlib.Path(folder).resolve(), spent)
        case ["test", folder]:
            report_tests(pathlib.Path(folder).resolve())
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
