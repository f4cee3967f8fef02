"""time each step of an iteration alone, and the linear loop beside their sum

Examples:
  thallo bench steps image_warping bundle_adjustment --schedule opt
  thallo bench steps denoise.lua --bind X=noisy.png --bind A=noisy.png --bind w=0.5"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any, Optional, Union

from ..command import Fault, Parser
from ..table import print_json
from .columns import make_table
from .timed_problem import TimedProblem, add_problems, open_each


def add_flags(parser: Parser) -> None:
    add_problems(parser)
    parser.flag("--schedule", "NAME|FILE", "as of `thallo solve`")


def measure(flags: argparse.Namespace) -> None:
    """Prints each problem when it is done."""
    if not flags.problems:
        raise Fault("PROBLEM is required (see thallo bench steps --help)")
    profiles: list[dict[str, Any]] = []
    for timed in open_each("steps", flags):
        profile = _profile(timed, timed.explain(flags.schedule)["schedule"])
        if not flags.json:
            print(("\n" if profiles else "") + _text(profile), end="", flush=True)
        profiles.append(profile)
    if flags.json:
        print_json({"backend": timed.backend, "problems": profiles})
    elif len(profiles) > 1:
        print(f"\na linear iteration of each\n{_summary(profiles)}", end="")


def _profile(timed: TimedProblem, schedule: str) -> dict[str, Any]:
    """As JSON has it."""
    answer = timed.ask("profile", schedule=schedule)
    for step in answer["steps"]:
        if step["matrix"] is None:
            del step["matrix"]
        for caches in ("hot", "evicted"):
            step[f"{caches}_samples_us"] = [1e6 * seconds for seconds in step.pop(caches)]
            step[f"{caches}_us"] = _median(step[f"{caches}_samples_us"])
    loop = answer["loop"] or {"iterations": 0, "seconds": []}
    samples = [1e6 * seconds for seconds in loop["seconds"]]
    hot, evicted = (_finite_us(answer[caches]) for caches in ("hot", "evicted"))
    loop_us = _median(samples)
    return {
        "problem": timed.name,
        "instance": timed.title,
        "precision": timed.precision,
        "reset_period": answer["reset_period"],
        "steps": answer["steps"],
        "linear_iteration": {
            "hot_us": hot,
            "evicted_us": evicted,
            "loop_us": loop_us,
            "loop_iterations": loop["iterations"],
            "loop_samples_us": samples,
            "loop_over_hot": loop_us / hot if loop_us and hot else None,
        },
    }


def _finite_us(seconds: Union[float, str]) -> Optional[float]:
    """Numbers that are not finite come as texts: a step has no samples."""
    return None if isinstance(seconds, str) else 1e6 * seconds


def _median(samples: list[float]) -> Optional[float]:
    return median(samples) if samples else None


def _text(profile: dict[str, Any]) -> str:
    table = make_table("steps", "")
    for step in profile["steps"]:
        table.add(
            **{key: step[key] for key in ("phase", "step")},
            of=_size_text(step),
            **{key: step[key] for key in ("hot_us", "evicted_us")},
            fault=step["fault"] if step["launched"] else "not launched",
        )
    text = f"{profile['problem']}, {profile['instance']}, {profile['precision']}\n{table.text()}"
    sums = profile["linear_iteration"]
    if sums["loop_us"] is None:
        return text
    shown = {key: f"{it:.2f}" if isinstance(it, float) else it or "-" for key, it in sums.items()}
    return (
        "{0}  a linear iteration: {hot_us} us as the sum of its steps ({evicted_us} evicted), "
        "{loop_us} us in the loop of {loop_iterations}, ratio {loop_over_hot}\n"
    ).format(text, **shown)


def _size_text(step: dict[str, Any]) -> str:
    if "matrix" in step:
        return "{format}, {rows} x {columns}, {entries} entries".format(**step["matrix"])
    if step["kind"] != "clear":
        return f"{step['points']} points"
    size, units = step["bytes"], ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        del units[0]
    return f"{size:.3g} {units[0]}" if size < 1000 else f"{size:.0f} {units[0]}"


def _summary(profiles: list[dict[str, Any]]) -> str:
    table = make_table("summary", "")
    for profile in profiles:
        sums = profile["linear_iteration"]
        table.add(
            **{key: profile[key] for key in ("problem", "instance")},
            steps=len(profile["steps"]),
            **{key: sums[key] for key in ("hot_us", "evicted_us", "loop_us", "loop_over_hot")},
        )
    return table.text()
