"""A worker: `thallo worker PROBLEM FLAGS`, which opens the problem and the device once, and times what
it is asked to (core/explore/worker/requests.h).
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from typing import Any, TypeVar

from .command import Fault, failure, warn

_W = TypeVar("_W", bound="Worker")


class Worker:
    """opened: what it says of the problem, if one is named."""

    def __init__(self, *arguments: str) -> None:
        self._said = tempfile.TemporaryFile("w+")
        # Memory of files that were read goes back to the system. By default small ones would reuse
        # that of the one before, and large ones would not, as if reading them were slower.
        environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 17)}
        self._process = subprocess.Popen(
            [os.environ["THALLO_PROGRAM"], "worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            env=environment,
        )
        self._id = 0
        self.opened = self._answer() if arguments else None

    def __enter__(self: _W) -> _W:
        return self

    def __exit__(self, *_: Any) -> None:
        self._process.communicate()  # the end of its input ends it
        warn(self._told())

    def ask(self, what: str, **request: Any) -> Any:
        self._id += 1
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # that it has ended is known below
            self._process.stdin.write(json.dumps({"id": self._id, "do": what, **request}) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def time(self, schedule: str, solves: int) -> dict[str, Any]:
        """Times of an iteration under the schedule, as medians of solves after a first one."""
        result = self.ask("solve", schedule=schedule, solves=solves)
        if result["status"] != "ok":
            raise Fault(result["reason"])
        return result

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if "answer" in message:
                return message["answer"]
            if "error" in message:
                raise Fault(message["error"]["reason"])
        raise failure("worker", self._process.wait(), self._told())

    def _told(self) -> str:
        self._said.seek(0)
        return self._said.read().removeprefix("thallo: ").strip()
