#pragma once

// What a worker process does: it compiles, loads, times, solves and verifies programs of one
// problem, so that a compiler or driver that crashes takes no more than the worker along. It reads
// requests and writes answers, one JSON object a line:
//
//   {"id": 1, "do": "open", "target": ..., "device": true}
//   {"id": 2, "do": "prepare", "schedule": "r.fit:strategy(\"[J]p\")"}
//   {"id": 3, "do": "time", "schedule": ..., "keys": [...]}
//   {"id": 4, "do": "solve", "schedule": ..., "solves": 3}
//
// An answer has the request's id and either what was asked for or "error" with a sentence and
// "status" with a ResultStatus (store_records.h). Between request and answer come messages with the
// same id: {"id": 3, "doing": "timing apply", "step": KEY} says what the worker is at, so that a
// crash can be blamed on it ("step" only where a single step is timed), and {"id": 3, "part": ...}
// is a part of the answer that is finished.
//
//   open     the problem, and with "device" the backend. Answers with signatures, names, the device
//            spec that predictions are made with (as text, to be handed as "spec" to workers
//            without the device), and its memory.
//   prepare  lowers a schedule and compiles its kernels into the cache, without a device. Answers
//            with its kernels, its steps and their keys (step_key.h), predictions of all cost
//            models, bytes.
//   time     times those of its steps that are asked for, at a real point, with warm and cold caches;
//            a part for each. Answers with the kernels as they were loaded.
//   solve    compares cost, gradient, diagonal and JtJp with those of the default schedule on the
//            problem's own data, and on its small instance with what the energy defines
//            (small_instance.h). If they agree, solves from the start, so many times, with all
//            tests for stopping switched off.

#include <iosfwd>

namespace thallo {

// Serves requests until the input ends.
void run_worker(std::istream& in, std::ostream& out);

}  // namespace thallo
