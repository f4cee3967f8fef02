"""The columns of the tables: what a key of JSON is called, and how its numbers are shown."""

from ..table import Column, Table


def _is_longer(now: float, then: float) -> bool:
    """By more than what two runs on the same machine differ by."""
    return now > 1.1 * then


def _is_less(now: float, then: float) -> bool:
    return now < then / 1.1


def _is_higher_end(now: float, then: float) -> bool:
    """percent of the optimum: more than what rounding does."""
    return now > then + 0.01


_COLUMNS = {
    "above_optimum_percent": Column("above optimum, %", ".4f", _is_higher_end),
    "agrees": Column("sign"),
    "all_in_ms": Column("ms, all in", ".2f", _is_longer),
    "choice_ms": Column("ms, choice", ".2f"),
    "data": Column("data set"),
    "default_over_auto": Column("default / auto", ".2f"),
    "difference_percent": Column("from cpu, %", ".4f", _is_higher_end),
    "digits_1": Column("digits, start 1", ".1f", _is_less),
    "digits_2": Column("digits, start 2", ".1f", _is_less),
    "evicted_us": Column("evicted us", ".2f", _is_longer),
    "facts_ms": Column("ms, facts of a new energy", ".2f"),
    "fault": Column(""),
    "final_cost": Column("final cost", ".8e"),
    "gb_per_s": Column("GB/s", ".1f", _is_less),
    "hand_written_us": Column("hand-written, µs", ".1f"),
    "hot_us": Column("hot us", ".2f", _is_longer),
    "iterations_1": Column("iterations"),
    "iterations_2": Column("iterations"),
    "launches": Column("launches / linear iteration"),
    "linear_iterations": Column("linear"),
    "linear_solver": Column("linear solver"),
    "loop_over_hot": Column("loop / hot", ".2f"),
    "loop_us": Column("loop us", ".2f", _is_longer),
    "measured": Column("measured, %", "+.1f"),
    "measured_us": Column("µs, measured", ".1f"),
    "megabytes": Column("MB", ".1f"),
    "megabytes_per_second": Column("MB/s", ".0f", _is_less),
    "move": Column("decision"),
    "ms_per_iteration": Column("ms / nonlinear iteration", ".3f", _is_longer),
    "must_move_mb": Column("MB that must move", ".3f"),
    "opt_over_auto": Column("opt / auto", ".2f"),
    "plans_per_second": Column("plans/s", ".0f", _is_less),
    "predicted": Column("predicted, %", "+.1f"),
    "predicted_us": Column("µs, predicted", ".1f"),
    "seconds": Column("s in all", ".4f"),
    "seconds_to_001": Column("s to 0.01 %", ".5f"),
    "seconds_to_01": Column("s to 0.1 %", ".5f", _is_longer),
    "seconds_to_1": Column("s to 1 %", ".5f"),
    "speedup": Column("times as fast as the first", ".2f"),
    "times_a_tenth": Column("times that of a tenth of the lines", ".1f"),
    "us_per_linear_iteration": Column("µs / linear iteration", ".2f", _is_longer),
}


def make_table(name: str, title: str, *keys: str, **own: Column) -> Table:
    """keys: the columns that say which row it is. own: those called or shown differently here."""
    return Table(name, title, {**_COLUMNS, **own}, *keys)
