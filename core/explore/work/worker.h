#pragma once

// A worker process compiles, loads, times, solves and verifies programs of one problem for an
// exploration. It also runs problems and generates kernels for the app. Because this happens in a
// separate process, a compiler or driver that crashes takes down the worker only. It reads requests
// and writes messages (messages.h), one JSON object per line:
//
//   {"id": 1, "do": "open", "target": ..., "device": true}
//   {"id": 2, "do": "prepare", "schedule": "r.fit:strategy(\"[J]p\")"}
//   {"id": 3, "do": "kernels", "schedule": ..., "compile": true}
//   {"id": 4, "do": "time", "schedule": ..., "keys": [...]}
//   {"id": 5, "do": "solve", "schedule": ..., "solves": 3}
//   {"id": 6, "do": "run", "target": ..., "schedule_name": "auto", "folder": "/tmp/report"}
//   {"cancel": 6}
//
// An answer has the request's id and either the result or "error" (a sentence) and "status" (a
// ResultStatus, store_records.h). Messages with the same id come between request and answer. {"id":
// 4, "doing": "timing apply", "step": KEY} says what the worker is doing, so that a crash can be
// attributed to it ("step" is present only while a single step is timed). {"id": 4, "part": ...} is
// a finished part of the answer. Requests are carried out one after the other. A line that is not a
// request is answered by an error with id 0.
//
// A request can be cancelled, even while it compiles, and the end of the input cancels all
// requests. A cancelled request is answered soon: by an error with "cancelled": true or, if it is a
// run that solved something, by the partial result. "open", and a step that is being timed, are
// finished first.
//
// A schedule is given either as text, "schedule", or as `thallo solve --schedule` takes it,
// "schedule_name".
//
//   open     the problem, and with "device" the backend. Answers with signatures, names, the device
//            spec that predictions are made with (as text, to be handed as "spec" to workers
//            without the device), and its memory.
//   prepare  lowers a schedule and compiles its kernels into the cache, without a device. Answers
//            with its kernels and, of cuda, what they use; its steps and their keys (step_key.h),
//            predictions of all cost models, bytes.
//   kernels  generates the kernels of a schedule, without a device: a part for each has its text
//            and the work of the steps that launch it (kernel_text.h). With "compile" it comes as
//            soon as the kernel is compiled, with what the compiler makes of it.
//   time     times those of its steps that are asked for, at a real point, with warm and cold
//            caches; a part for each.
//   solve    compares cost, gradient, diagonal and JtJp with those of the default schedule on the
//            problem's own data, and on its small instance with what the energy defines
//            (small_instance.h). If they agree, solves from the start, so many times, with all
//            tests for stopping switched off.
//   run      what `thallo solve` does (run_order.h); needs no "open". "doing" are the stages of the
//            run by name, with the number of the "solve"; a part is an iteration. Answers with
//            run_json() (core/problem/run_json.h), the device, and the files of the report, if a
//            folder for them is named (run_answer.h).

#include <iosfwd>

namespace thallo {

// Serves requests until the input ends. Reads the input on a separate thread.
void run_worker(std::istream& in, std::ostream& out);

}  // namespace thallo
