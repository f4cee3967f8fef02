"""The ways to measure a case of a table or figure. Each is a function that runs the case and
returns a value for some of the item's quantities; those that let searches run are in searches.py.
"""

from __future__ import annotations

import contextlib
import functools
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ..command import Fault, shipped, thallo
from ..optima import seconds_to
from ..worker import Worker
from .kept import Measured
from .running import Its
from .searches import distribution, search_modes, switched_search

SCHEDULES = ("default", "opt", "published-default", "auto", "file")


def _schedule_text(its: Its, name: str) -> str:
    """The text of a schedule that has a name, or of the case."""
    if name not in SCHEDULES:
        return name
    place = its.flags(its.run.backend, is_published=True)  # explain knows no threads
    return thallo("explain", *place, "--device", str(its.run.device), "--schedule", name)[
        "schedule"
    ]


def iteration_time(its: Its) -> Measured:
    """Milliseconds of a nonlinear iteration under the schedule that a quantity is named after; of
    the key `time`, and with `passes`, under the schedule of the case."""
    solves = 1 if its.run.is_tiny else 3
    measured = Measured()
    workers: dict[str, Worker] = {}  # by passes
    with contextlib.ExitStack() as stack:
        for quantity in its.item.quantities:
            is_of_case = quantity.key == "time" or quantity.passes
            which = its.case.schedule if is_of_case else quantity.key
            if not is_of_case and which not in SCHEDULES:
                continue
            if quantity.passes not in workers:
                passes = [f"--passes={quantity.passes}"] if quantity.passes else []
                worker = Worker(*its.flags(is_published=True), *passes)
                workers[quantity.passes] = stack.enter_context(worker)
            worker = workers[quantity.passes]
            timed = worker.time(_schedule_text(its, which), solves)
            measured.values[quantity.key] = 1e3 * timed["nonlinear_seconds"]
            opened: Any = worker.opened
            measured.conditions = (
                f"{its.case.problem}, {opened['problem']['title']}. In {opened['precision']} on "
                f"{opened['device']['name']}. Medians of {solves} solves, with "
                f"{timed['linear_iterations']:g} linear iterations in a nonlinear one; no test "
                "ends them."
            )
    return measured


def _solved(its: Its, schedule: str, *flags: str) -> dict[str, Any]:
    return thallo("solve", *its.flags(is_published=True), "--schedule", schedule, *flags)


def _precision(its: Its) -> str:
    return "--float" if its.run.place[1] == "cuda" else "--double"


def throughput(its: Its) -> Measured:
    """Thousands of elements (pixels, vertices) that a whole solve takes in a second, under the
    schedule that a quantity is named after."""
    measured = Measured()
    for quantity in its.item.quantities:
        if quantity.key not in SCHEDULES:
            continue
        done = _solved(its, quantity.key, _precision(its))
        unknowns = max(solve["unknowns"] for solve in done["solves"])  # a pyramid begins with fewer
        elements = unknowns / its.case.unknowns_per_element
        measured.values[quantity.key] = elements / done["seconds"]["solve"] / 1e3
        measured.conditions = (
            f"{done['instance']}: {unknowns} unknowns, {done['iterations']} nonlinear and "
            f"{done['linear_iterations']} linear iterations in {done['precision']}."
        )
    return measured


def digits(its: Its) -> Measured:
    """digits_1 and digits_2: correct digits from both starts of a NIST data set."""
    measured = Measured(conditions="In double.")
    for start in (1, 2):
        done = _solved(its, "auto", "--double", f"--start={start}")
        for metric in done["metrics"]:
            if metric["name"] == "correct digits":
                measured.values[f"digits_{start}"] = metric["value"]
    return measured


def error_over_time(its: Its) -> Measured:
    """mse, seconds, seconds_to_1 and seconds_to_01 (1 and 0.1 % above the least); a curve of seconds
    and the mean squared error, over observations of two residuals each, relative to the least."""
    done = _solved(its, "auto", _precision(its))
    last = done["solves"][-1]
    best = last["final_cost"]
    accepted = [record for record in last["records"] if record["accepted"]]
    measured = Measured({"mse": 4 * best / done["residuals"], "seconds": last["seconds"]})
    wanted = {quantity.key for quantity in its.item.quantities}
    for key, seconds in seconds_to(done, best).items():
        if key in wanted and seconds is not None:
            measured.values[key] = seconds
    measured.curve = [(record["total_seconds"], record["cost"] / best) for record in accepted]
    measured.conditions = (
        f"{done['instance']}: {done['unknowns']} unknowns, {done['residuals']} residuals, "
        f"{last['iterations']} nonlinear and {last['linear_iterations']} linear iterations in "
        f"{done['precision']}."
    )
    return measured


def off_optimum(its: Its) -> Measured:
    """Percent by which the schedule that the paper's cost model chooses is slower than the best one
    that is known; both are predicted for the device whose spec a quantity is named after, so that
    no device is needed."""
    measured = Measured(conditions="Predicted by the cost model analytic.")
    for quantity in its.item.quantities:
        if not shipped(f"devices/{quantity.key}.toml").exists():
            continue
        flags = [*its.flags("cuda", is_published=True), "--float", "--device-spec", quantity.key]
        chosen = thallo("explain", *flags, "--schedule", "auto", "--model", "roofline")["schedule"]
        with tempfile.NamedTemporaryFile("w", suffix=".sched") as file:
            file.write(chosen)
            file.flush()
            told = thallo("explain", "what-if", *flags, "devices", "--schedule", file.name)
        of_device = next(each for each in told["devices"] if each["device"] == told["device"])
        seconds = dict(zip(told["schedules"], of_device["seconds"]))
        best = min(seconds[name] for name in SCHEDULES if name != "file")
        measured.values[quantity.key] = 100 * (max(seconds[file.name] / best, 1) - 1)
    return measured


@functools.lru_cache(maxsize=None)
def _shipped_measurements() -> Any:
    from ..learning import TrainingSet

    path = shipped("models/h100.store.xz")
    if not path.exists():
        raise Fault("the measurements assets/models/h100.store.xz are not there")
    return TrainingSet([str(path)])


def left_out_prediction(its: Its) -> Measured:
    """Predicts the shipped measurements of the problem by a cost model that was fitted to those of
    all others; the option `model` names what is fitted. Of its steps, of which the times of
    schedules consist: steps, how many there are; r2, the share of the variance of the logarithms of
    times that predictions explain; rho, Spearman's correlation of predicted and measured times. Of
    its schedules, the median over its inputs: schedules_rho; first, the time of the one that is
    predicted to be the fastest over that of the fastest; mean, their mean time over that. With the
    prefix `analytic_` they are of the model that is not fitted. The curve has milliseconds of the
    steps."""
    from ..learning import fit, judge, spearman

    measured = _shipped_measurements()
    problem = measured.problem_number(its.case.problem)
    name = its.input.options.get("model", "learned")
    fitted = {problem: fit(name, measured, problem)}
    analytic, its_model = next(judge(measured, [problem], ["analytic"], fitted))
    values: dict[str, Optional[float]] = {"steps": len(its_model.measured), "mean": its_model.mean}
    for prefix, model in (("", its_model), ("analytic_", analytic)):
        values[f"{prefix}r2"] = model.explained_variance()
        values[f"{prefix}rho"] = spearman(model.predicted, model.measured)
        values[f"{prefix}schedules_rho"] = model.rho
        values[f"{prefix}first"] = model.first
    return Measured(
        {key: value for key, value in values.items() if value is not None},
        curve=[
            (1e3 * x, 1e3 * y)
            for x, y in zip(its_model.predicted.tolist(), its_model.measured.tolist())
        ],
        conditions=f"The model {name} is fitted to the steps of the other "
        f"{len(measured.problems) - 1} problems; measured on {measured.device}.",
    )


@dataclass
class Method:
    measure: Callable[[Its], Measured]
    runs: bool = True  # False if it predicts, for which no device is needed
    has_parts: bool = False  # True if it obtains the case part by part
    # The axes of its curves, if it has any. A share is on a linear axis, all else on logarithmic
    # ones.
    axes: tuple[str, str] = ("", "")
    is_scatter: bool = False


# Those that take longer come later, so that a budget makes as much as possible.
METHODS = {
    "iteration_time": Method(iteration_time),
    "throughput": Method(throughput),
    "digits": Method(digits),
    "error_over_time": Method(error_over_time, axes=("seconds", "error over the least")),
    "off_optimum": Method(off_optimum, runs=False),
    "left_out_prediction": Method(
        left_out_prediction, runs=False, axes=("predicted, ms", "measured, ms"), is_scatter=True
    ),
    "search_modes": Method(search_modes, has_parts=True),
    "switched_search": Method(switched_search, runs=False, has_parts=True),
    "distribution": Method(
        distribution, axes=("share of the schedules", "ms of a nonlinear iteration, at most")
    ),
}
