"""The ways to measure a case that let searches run, or explore a space."""

from __future__ import annotations

import statistics
import tempfile
from typing import Any, Callable, Optional

from ..command import Fault, did_you_mean, thallo
from .kept import Measured
from .paper import Quantity
from .running import Its, setting_flags


def _obtain_search(
    its: Its,
    quantity: Quantity,
    flags: list[str],
    measured_of: Callable[[dict[str, Any], str], Measured],
) -> Optional[Measured]:
    """Lets the quantity's search run, with the options of the case, else those of the quantity,
    else the defaults. A search that is ended has done no less."""
    options = {**quantity.options, **its.input.search.get(quantity.search, {})}
    samples = ["--sample", str(its.input.samples)] if quantity.search == "random" else []

    def run() -> Measured:
        budget = its.parts.budget
        limit = budget.limit_now(its.input.seconds)
        words = setting_flags("--search-set", options)
        words += [*samples, f"--search={quantity.search}", f"--budget={limit}"]
        told = thallo("explore", *flags, *words)
        is_cut = told["search"]["ending"] != "finished"
        measured = measured_of(told, "at least" if is_cut else "")
        measured.limit = limit if is_cut else 0.0
        measured.is_complete = not is_cut or limit >= budget.limit(its.input.seconds)
        return measured

    key = its.key(
        method=its.item.method,
        search=quantity.search,
        options=options,
        samples=samples,
        device_spec=its.item.device_spec,
    )
    return its.parts.obtain(quantity.title or quantity.key, key, its.input.seconds, run)


def _set(measured: Measured, key: str, value: Optional[float], bound: str = "") -> None:
    if value is not None:
        measured.values[key] = value
        if bound:
            measured.bounds[key] = bound


_OPPOSITE = {"at least": "at most", "at most": "at least", "": ""}


def _figure(measured: Measured, quantity: Quantity) -> float:
    """What the quantity wants of a search."""
    if quantity.figure not in measured.values:
        legal = list(measured.values)
        raise Fault(
            f"the search {quantity.search} reports no '{quantity.figure}'"
            f"{did_you_mean(quantity.figure, legal)} (legal: {', '.join(legal)})"
        )
    return quantity.scale * measured.values[quantity.figure]


def search_modes(its: Its) -> Measured:
    """Lets searches find schedules of a problem, each from nothing, and compares what they found. A
    quantity with a search has one of these figures: best, the throughput of the fastest schedule
    that it found, over that of the fastest that is known of the case; first, the same of the
    schedule that it proposed first, which it predicted to be the fastest; seconds, until the search
    had ended, with compiling and measuring. One that is named after a schedule has that schedule's
    throughput. Each search is a part of the case."""

    def found(told: dict[str, Any], bound: str) -> Measured:
        its_ms = {
            each["hash"]: 1e3 * each["seconds"]
            for each in told["candidates"]
            if each["seconds"] is not None
        }
        search, marks = told["search"], told["marks"]
        of_search = [its_ms.get(hash) for hash in search["proposed"]]
        times = [ms for ms in of_search if ms is not None]
        measured = Measured(conditions=told["title"])
        _set(measured, "seconds", search["seconds"], bound)
        _set(measured, "schedules", len(times), bound)
        # A greedy search began with the best schedule that has a name.
        if search["name"] == "greedy":
            times += [its_ms[hash] for hash in marks.values() if hash in its_ms]
        _set(measured, "best", min(times, default=None), _OPPOSITE[bound])
        _set(measured, "first", of_search[0] if of_search else None)
        for name, hash in marks.items():
            _set(measured, f"schedule {name}", its_ms.get(hash))
        return measured

    measured, notes, title = Measured(), [], ""
    ms: dict[str, tuple[float, str]] = {}  # by quantity, with their bounds
    named: dict[str, float] = {}
    for quantity in its.item.quantities:
        if not quantity.search:
            continue
        with tempfile.TemporaryDirectory() as folder:
            flags = [*its.flags(), "--best", "0", "--store", f"{folder}/measured.store"]
            part = _obtain_search(its, quantity, flags, found)
        if part is None:
            continue
        title = part.conditions
        for key, value in part.values.items():
            if key.startswith("schedule "):
                named.setdefault(key.removeprefix("schedule "), value)
        if quantity.figure == "seconds":
            _set(measured, quantity.key, part.values["seconds"], part.bounds.get("seconds", ""))
        elif quantity.figure in part.values:
            ms[quantity.key] = _figure(part, quantity), part.bounds.get(quantity.figure, "")
        elif quantity.figure not in ("best", "first"):
            _figure(part, quantity)
        if quantity.figure in part.values:
            notes.append(f"{quantity.title} {part.values['schedules']:.0f}")
    ms.update({q.key: (named[q.key], "") for q in its.item.quantities if q.key in named})
    measured.conditions = f"{title}. Schedules that were timed: {', '.join(notes)}."
    if ms:
        best = min(value for value, _ in ms.values())
        for key, (value, bound) in ms.items():
            _set(measured, key, best / value, _OPPOSITE[bound])
        measured.conditions += f" The best takes {best:.4f} ms."
    return measured


def switched_search(its: Its) -> Measured:
    """Runs searches by predicted times with some of their switches on and off, and compares what
    they report of themselves: a quantity's figure is one that its search reports, or `seconds`,
    which the search took. Nothing is measured: times are predicted for the item's device. Each
    search is a part of the case."""

    def reported(told: dict[str, Any], bound: str) -> Measured:
        measured = Measured()
        _set(measured, "seconds", told["search"]["seconds"], bound)
        for name, value in told["search"]["figures"].items():
            # All others rise.
            _set(measured, name, value, _OPPOSITE[bound] if name == "best" else bound)
        host = next(each for each in thallo("devices") if each["backend"] == "cpu")
        measured.conditions = (
            f"{told['title']}, times predicted for {told['device']}; searched on "
            f"{host['devices'][0]['name']}."
        )
        return measured

    measured = Measured()
    flags = [*its.flags("cuda"), "--device-spec", its.item.device_spec, "--measure", "none"]
    for quantity in its.item.quantities:
        part = _obtain_search(its, quantity, flags, reported) if quantity.search else None
        if part:
            bound = part.bounds.get(quantity.figure, "")
            _set(measured, quantity.key, _figure(part, quantity), bound)
            measured.conditions = part.conditions
    return measured


def distribution(its: Its) -> Measured:
    """Milliseconds of a nonlinear iteration of the schedules of the published space, all or some:
    best and median, and those of the quantities that are named after a schedule; auto_off, the
    percent by which auto is slower than the best; schedules and of, how many of the space have a
    time, and how many there are. The curve has the share of schedules that are at most as slow, and
    milliseconds."""
    flags = [*its.flags(), "--space", "published"]
    size = int(thallo("explore", *flags, "--count")["total"])
    left = its.parts.budget.left()
    samples = its.input.samples
    is_sampled = 0 < samples < size
    flags += [f"--search={'random' if is_sampled else 'exhaustive'}", "--best=0"]
    flags += [f"--sample={samples}"] if is_sampled else []
    flags += [] if left is None else [f"--budget={max(0.1, left)}"]
    with tempfile.TemporaryDirectory() as folder:
        store = its.run.measurements or f"{folder}/measured.store"
        told = thallo("explore", *flags, "--store", str(store))
    timed = [each for each in told["candidates"] if each["seconds"] is not None]
    times = sorted(1e3 * each["seconds"] for each in timed if each["index"] is not None)
    measured = Measured(is_complete=told["search"]["ending"] == "finished")
    measured.conditions = (
        f"{told['title']}: {len(times)} of the {size} schedules of the space `published` have a "
        "time, each the sum of its steps, which are timed one by one."
    )
    if not times:
        if measured.is_complete:
            raise Fault("no schedule of it could be timed")
        return measured
    by_hash = {each["hash"]: 1e3 * each["seconds"] for each in timed}
    wanted = [quantity.key for quantity in its.item.quantities]
    for name, hash in told["marks"].items():
        if name in wanted:
            _set(measured, name, by_hash.get(hash))
    if told["marks"].get("auto") in by_hash:
        measured.values["auto_off"] = 100 * (by_hash[told["marks"]["auto"]] / times[0] - 1)
    measured.values |= {"best": times[0], "median": statistics.median(times)}
    measured.values |= {"schedules": len(times), "of": size}
    measured.curve = [((i + 1) / len(times), ms) for i, ms in enumerate(times)]
    return measured
