"""Energies that are written in Python: expressions record the text of the energy."""

from __future__ import annotations

import math
import os
import re
import sys
from typing import Any, Callable, NoReturn, Optional, Sequence, Union

from ._errors import EnergyError, InputError
from ._solver import Solver

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_NAME = re.compile(r"[A-Za-z_]\w*")
# Names that the text has for other things: words of Lua, and what the first lines make.
_TAKEN = set(
    "and break do else elseif end false for function goto if in local nil not or repeat return "
    "then true until while Dim Inputs Residuals v".split()
)


def _place() -> str:
    """The line of the user's program that is running: "fit.py:12"."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class Value:
    """What an energy has a name for. Its methods are those of the language: v.sum(), v.get(x, y)."""

    def __init__(self, energy: Energy, code: str) -> None:
        self._energy, self._code = energy, code

    def __getitem__(self, key: Any) -> Expression:
        keys = key if isinstance(key, tuple) else (key,)
        return self._energy._record(f"{self._code}({_list(keys)})", keys)

    def __getattr__(self, name: str) -> Callable[..., Expression]:
        if name.startswith("_"):
            raise AttributeError(name)

        def method(*of: Any, **named: Any) -> Expression:
            code = f"{self._code}:{_name(name)}({_arguments(of, named)})"
            return self._energy._record(code, (*of, *named.values()))

        return method


_Operator = Callable[["Expression", Any], "Expression"]


def _operators(symbol: str) -> tuple[_Operator, _Operator]:
    """a + b, and b + a, of an expression a."""

    def of(a: Expression, b: Any) -> Expression:
        return a._energy._record(f"{_code(a)} {symbol} {_code(b)}", (a, b))

    def reversed_of(a: Expression, b: Any) -> Expression:
        return a._energy._record(f"{_code(b)} {symbol} {_code(a)}", (b, a))

    return of, reversed_of


def _function(name: str) -> _Operator:
    return lambda a, b: a._energy.call(name, a, b)


class Expression(Value):
    """A value of an energy: a number, a vector, a matrix, a condition, or a loop variable.

    Operators make further ones: + - * / **, comparisons, and & | ~ of conditions. v[0] is an entry
    of a vector. Other methods are those of the language: v.sum(), v.slice(0, 2).
    """

    __array_ufunc__ = None  # so that numbers of numpy leave the operators to this class
    __hash__ = object.__hash__

    def __iter__(self) -> NoReturn:
        raise TypeError("an expression has no length in Python; write v[0], v[1]")

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "whether a condition holds is not known when the energy is written; write "
            "functions.Select(condition, a, b), and & | ~ in place of and, or, not"
        )

    __add__, __radd__ = _operators("+")
    __sub__, __rsub__ = _operators("-")
    __mul__, __rmul__ = _operators("*")
    __truediv__, __rtruediv__ = _operators("/")
    __pow__, __rpow__ = _operators("^")

    def __neg__(self) -> Expression:
        return self._energy._record(f"-{self._code}", ())

    def __abs__(self) -> Expression:
        return self._energy.call("abs", self)

    def __invert__(self) -> Expression:
        return self._energy.call("Not", self)

    __lt__, __le__ = _function("less"), _function("lesseq")
    __gt__, __ge__ = _function("greater"), _function("greatereq")
    __eq__, __ne__ = _function("eq"), _function("neq")  # type: ignore[assignment]
    __and__, __or__ = _function("And"), _function("Or")


class Dim(Value):
    """An extent that is known when the energy is solved. A call makes a loop variable over it."""

    def __call__(self, name: Optional[str] = None) -> Expression:
        return self._energy._record(f"{self._code}({_list([name] if name else [])})", ())


class Field(Value):
    """An array or a sparse map. field[x, y] reads it."""

    def __iter__(self) -> NoReturn:
        raise TypeError(
            f"'{self._code}' is read at loop variables and has no elements to go through"
        )


class Unknown(Field):
    """A field that is solved for."""

    def exclude(self, condition: Expression, *channels: int) -> None:
        """Its entries for which the condition holds keep their start, or these channels of them."""
        self.Exclude(condition, *channels)

    def bounds(self, lower: Any = None, upper: Any = None) -> None:
        """Its entries stay between these, each a number, an expression or a list of them for the
        channels; None is no bound."""
        lower, upper = (-math.inf if lower is None else lower, math.inf if upper is None else upper)
        self._energy._record(f"{self._code}:bounds({_list((lower, upper))})", (lower, upper))


class Call:
    """What a function makes of numbers alone, for use in an expression or as a loss."""

    def __init__(self, code: str) -> None:
        self._code = code


class Part:
    """A group of residuals, or a product of it, r.fit.JtJ. Its methods are those of the language,

        r.fit.loss(f.huber(1))
        r.fit.loss(lambda s: f.log(1 + s))
        r.fit.JtJ.storage("blocks")

    and those of schedules (docs/schedules.md).
    """

    def __init__(self, energy: Energy, code: str, name: str = "") -> None:
        self._energy, self._on, self._method = energy, code, name
        self._code = f"{code}.{name}" if name else code

    def __getattr__(self, name: str) -> Part:
        if name.startswith("_"):
            raise AttributeError(name)
        return Part(self._energy, self._code, _name(name))

    def __call__(self, *of: Any, **named: Any) -> Part:
        self._energy._check((*of, *named.values()))
        result = self._energy._new_value()
        call = f"{result} = {self._on}:{self._method}("
        if len(of) == 1 and callable(of[0]) and not isinstance(of[0], (Value, Part)):
            lines = self._energy._record_function(call, of[0])
        else:
            lines = [(f"{call}{_arguments(of, named)})", _place())]
        self._energy._statements += lines
        return Part(self._energy, result)


class Energy:
    """An energy that is written in Python: what goes in, then expressions, then residuals.

        energy = thallo.Energy("smooth")
        (N,) = energy.dims("N")
        X, A = energy.unknown("X", "float", N), energy.array("A", "float", N)
        n = N()
        energy.residuals(fit=X[n] - A[n])
        energy.solver().solve(A=...)

    Types and functions are those of the language (docs/language.md). `text` is the same energy in
    that language, with a line for each operation.
    """

    def __init__(self, name: str = "energy") -> None:
        self.name = name
        self._inputs: list[tuple[str, str]] = []  # lines, and the places that they were written at
        self._lines: list[tuple[str, str]] = []
        self._residuals: list[tuple[str, str]] = []
        self._statements: list[tuple[str, str]] = []  # about the residuals
        self._dims: list[tuple[str, str]] = []
        self._num_values = 0
        self._names: dict[str, str] = {}  # what is declared, and where
        self._groups: dict[str, str] = {}

    def dims(self, *names: str) -> tuple[Dim, ...]:
        return tuple(self.dim(name) for name in names)

    def dim(self, name: str, position: Optional[int] = None) -> Dim:
        """Adds an extent. `position` is its place among the arguments of a C program."""
        _claim(self._names, name)
        place = len(self._dims) if position is None else position
        self._dims.append((f'local {name} = Dim("{name}", {_code(place)})', _place()))
        return Dim(self, name)

    def batch(self, name: str) -> Dim:
        """Adds a dim of independent members, each of which is solved by itself."""
        _claim(self._names, name)
        self._dims.append((f'local {name} = Batch("{name}")', _place()))
        return Dim(self, name)

    def unknown(self, name: str, type: str, *dims: Dim, slot: Optional[int] = None) -> Unknown:
        """A field that is solved for, as unknown("X", "float2", W, H). `type` is one of the language."""
        self._declare(name, "Unknown", [_name(type), _table(dims)], dims, slot)
        return Unknown(self, name)

    def array(self, name: str, type: str, *dims: Dim, slot: Optional[int] = None) -> Field:
        """A field that is given, as array("A", "float", W, H)."""
        self._declare(name, "Array", [_name(type), _table(dims)], dims, slot)
        return Field(self, name)

    def sparse(
        self,
        name: str,
        over: Union[Dim, tuple],
        to: Union[Dim, tuple],
        slot: Optional[int] = None,
        optional: bool = False,
    ) -> Field:
        """A map: field[e] is the point of `to` at the point e of `over`, -1 where an optional one has
        none."""
        both = [each if isinstance(each, tuple) else (each,) for each in (over, to)]
        more = ["{optional = true}"] if optional else []
        self._declare(name, "Sparse", [_table(each) for each in both], sum(both, ()), slot, more)
        return Field(self, name)

    def param(self, name: str, type: str = "float", slot: Optional[int] = None) -> Expression:
        self._declare(name, "Param", [_name(type)], (), slot)
        return Expression(self, name)

    def call(self, function: str, *arguments: Any) -> Expression:
        """A function of the language, by name; thallo.functions has them as functions."""
        return self._record(f"{_name(function)}({_list(arguments)})", arguments)

    def residuals(self, **groups: Any) -> Part:
        """Adds groups of residuals: an expression, or a list of them, by name. Returns all groups, for
        losses and schedules: r.fit.loss(...)."""
        for name, group in groups.items():
            self._check((group,))
            _claim(self._groups, name)
            self._residuals.append((f"{name} = {_code(group)},", _place()))
        return Part(self, "v.r")

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line, _ in self._all_lines())

    def solver(self, **options: Any) -> Solver:
        """A solver of this energy, with the options of Solver. Errors name the lines in Python."""
        try:
            return Solver(self.text, name=self.name + ".lua", **options)
        except EnergyError as error:
            told = self._in_python(str(error))
        raise EnergyError(told)

    def _all_lines(self) -> list[tuple[str, str]]:
        return [
            *self._dims,
            ("Inputs {", ""),
            *self._inputs,
            ("}", ""),
            ("local v = {}", ""),
            *self._lines,
            ("v.r = Residuals {", ""),
            *self._residuals,
            ("}", ""),
            *self._statements,
        ]

    def _in_python(self, message: str) -> str:
        """The message, with places in Python in the place of those in the text."""
        places = [place for _, place in self._all_lines()]

        def place_of(found: re.Match) -> str:
            number = int(found["line"])
            there = places[number - 1] if 0 < number <= len(places) else ""
            # Faults of a group are at the statement of all groups, and name it first.
            name = re.search(r"'(\w+)'", found["fault"])
            return there or (self._groups.get(name[1]) if name else "") or found[0]

        file = re.escape(self.name) + r"\.lua"
        message = re.sub(rf"{file}:(?P<line>\d+)(?=(?P<fault>.*))", place_of, message)
        prefix, whole = f"{self.name}.lua: ", f"energy '{self.name}'"
        if not message.startswith(prefix):
            return message
        told = message[len(prefix) :]  # a fault without a line
        return told if told.startswith(whole) else f"{whole}: {told}"

    def _declare(
        self,
        name: str,
        kind: str,
        of: list[str],
        dims: tuple,
        slot: Optional[int],
        more: Sequence[str] = (),
    ) -> None:
        for dim in dims:
            if not isinstance(dim, Dim):
                raise InputError(f"'{name}' is over {dim!r} (legal: what Energy.dims returned)")
        self._check(dims)
        _claim(self._names, name)
        arguments = [*of, *([] if slot is None else [_code(slot)]), *more]
        self._inputs.append((f"  {name} = {kind}({', '.join(arguments)}),", _place()))

    def _new_value(self) -> str:
        self._num_values += 1
        return f"v[{self._num_values}]"

    def _record(self, code: str, operands: Any) -> Expression:
        self._check(operands)
        value = self._new_value()
        self._lines.append((f"{value} = {code}", _place()))
        return Expression(self, value)

    def _record_function(
        self, call: str, function: Callable[[Expression], Any]
    ) -> list[tuple[str, str]]:
        """The lines of a call whose argument is a function of one value."""
        argument = Expression(self, self._new_value())
        place, lines = _place(), self._lines
        self._lines = [(f"{call}function(...) {argument._code} = ...", place)]
        try:
            value = function(argument)
            self._check((value,))
            return [*self._lines, (f"return {_code(value)} end)", place)]
        finally:
            self._lines = lines

    def _check(self, operands: Any) -> None:
        for operand in operands:
            if isinstance(operand, (list, tuple)):
                self._check(operand)
            elif isinstance(operand, (Value, Part)) and operand._energy is not self:
                raise InputError(f"an expression of another energy is used in '{self.name}'")


class Functions:
    """The functions of the language: functions.Select(condition, a, b), functions.sqrt(a)."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments: Any) -> Union[Expression, Call]:
            energy = _energy_of(arguments)
            if energy is None:
                return Call(f"{_name(name)}({_list(arguments)})")
            return energy.call(name, *arguments)

        call.__name__ = name
        return call


functions = Functions()


def _energy_of(arguments: Any) -> Optional[Energy]:
    waiting = list(arguments)
    while waiting:
        one = waiting.pop()
        if isinstance(one, (list, tuple)):
            waiting += one
        elif isinstance(one, Value):
            return one._energy
    return None


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError(f"'{name}' is no name (legal: letters, digits and _)")
    return name


def _claim(names: dict[str, str], name: str) -> None:
    """Notes that a name is given, here. It must be free."""
    if _name(name) in _TAKEN:
        raise InputError(f"'{name}' is a word of the language; use another name")
    if name in names:
        raise InputError(f"'{name}' is declared twice, first at {names[name]}")
    names[name] = _place()


def _list(values: Any) -> str:
    return ", ".join(_code(value) for value in values)


def _table(values: Any) -> str:
    return "{" + _list(values) + "}"


def _arguments(of: Any, named: dict[str, Any]) -> str:
    table = ", ".join(f"{key} = {_code(value)}" for key, value in named.items())
    return ", ".join(filter(None, (_list(of), table and "{" + table + "}")))


def _code(value: Any) -> str:
    if isinstance(value, (Value, Part, Call)):
        return value._code
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if re.search(r'["\\\n\0]', value):
            raise InputError(f"{value!r} has characters that no name in an energy has")
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return _table(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"a {type(value).__name__} in an expression (legal: a number, an expression, a text, a "
            f"list of them)"
        ) from None
    if math.isnan(number):
        raise InputError("a number of an energy is NaN")
    if math.isinf(number):
        return "inf" if number > 0 else "(-inf)"
    whole = int(number) if number == int(number) and abs(number) < 2**53 else None
    literal = repr(number) if whole is None else str(whole)
    return literal if number >= 0 else f"({literal})"
