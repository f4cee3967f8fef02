#include "core/explore/worker/worker_client.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/log.h"

namespace thallo {

std::optional<WorkerCall> WorkerClient::set_opening(std::optional<OpenRequest> request,
                                                    std::chrono::milliseconds timeout) {
  opening_ = std::move(request);
  open_timeout_ = timeout;
  return end();
}

std::optional<WorkerCall> WorkerClient::end() {
  process_.reset();
  is_open_ = false;
  return std::exchange(call_, std::nullopt);
}

std::vector<int> WorkerClient::outputs() const {
  return process_ ? process_->outputs() : std::vector<int>();
}

void WorkerClient::begin(WorkerCall call) {
  // A worker that died while it was idle is replaced; no request was lost.
  if (process_) take();
  if (process_ && process_->is_closed()) process_.reset();
  call_ = std::move(call);
  is_cancelled_ = false;
  start_fault_.clear();
  if (!process_) {
    is_open_ = false;
    auto process = start_();
    if (!process) {
      start_fault_ = process.error().message();
      deadline_ = Clock::now();
      return;
    }
    process_.emplace(*std::move(process));
  }
  if (!is_open_ && opening_)
    send(*opening_, open_timeout_);
  else if (call_->request)
    send(*call_->request, call_->timeout);
}

// If the worker does not take the request, it has ended; that is noticed when its output is read.
void WorkerClient::send(const WorkerRequest& request, std::chrono::milliseconds timeout) {
  doing_ = {};
  deadline_ = Clock::now() + timeout;
  process_->send(request_line(++last_id_, request));
}

void WorkerClient::cancel(std::chrono::milliseconds grace) {
  if (!call_ || std::exchange(is_cancelled_, true)) return;
  deadline_ = std::min(deadline_, Clock::now() + grace);
  if (process_) process_->send(request_line(last_id_, CancelRequest()));
}

void WorkerClient::take() {
  while (process_) {
    const auto line = process_->receive();
    if (!line) break;
    take_line(*line);
  }
  if (!process_) return;
  // A worker whose output has ended may take a while to end itself.
  if (const auto how = process_->find_end()) lose(ResultStatus::Crash, "the worker " + *how);
}

void WorkerClient::take_line(const std::string& line) {
  const auto message = read_message(line);
  if (!message) {
    logger("explore").warn("a worker sent what is no message: {}", line);
    return;
  }
  if (!call_ || message->id != last_id_) return;
  if (message->kind == WorkerMessage::Kind::Answer || message->kind == WorkerMessage::Kind::Error)
    return take_outcome(*message);
  if (message->kind == WorkerMessage::Kind::Doing) doing_ = message->doing;
  if (!is_cancelled_) deadline_ = Clock::now() + timeout();
  const bool is_of_request = is_open_ || !opening_;
  if (is_of_request && call_->heard) call_->heard(*message);
}

std::chrono::milliseconds WorkerClient::timeout() const {
  if (!is_open_ && opening_) return open_timeout_;
  return doing_.step.empty() ? call_->timeout : call_->step_timeout.value_or(call_->timeout);
}

void WorkerClient::take_outcome(const WorkerMessage& message) {
  const bool is_opening = !is_open_ && opening_;
  if (message.kind == WorkerMessage::Kind::Error) {
    const WorkerFault& fault = message.fault;
    WorkAnswer answer{.status = fault.status,
                      .reason = fault.is_cancelled ? "cancelled" : fault.reason,
                      .doing = fault.is_cancelled ? "" : doing_.what,
                      .step = doing_.step,
                      .is_opening = is_opening,
                      .is_cancelled = fault.is_cancelled};
    // After a kernel has crashed on the device, this process cannot use the device any more.
    if (is_opening || fault.status == ResultStatus::Crash) process_.reset();
    return finish(std::move(answer));
  }
  is_open_ = true;
  if (!is_opening || !call_->request) return finish({.json = message.json});
  if (is_cancelled_)
    return finish({.status = ResultStatus::NotRun, .reason = "cancelled", .is_cancelled = true});
  send(*call_->request, call_->timeout);
}

void WorkerClient::check() {
  if (!call_ || Clock::now() < deadline_) return;
  if (!start_fault_.empty()) return lose(ResultStatus::Crash, start_fault_);
  if (is_cancelled_) {
    process_.reset();
    return finish({.status = ResultStatus::NotRun, .reason = "cancelled", .is_cancelled = true});
  }
  const std::chrono::duration<double> silent = timeout();
  lose(ResultStatus::Timeout,
       fmt::format("the worker said nothing for {:.3g} s and was ended", silent.count()));
}

void WorkerClient::lose(ResultStatus status, const std::string& why) {
  const bool had_started = process_.has_value();
  const bool is_opening = !is_open_ && opening_;
  process_.reset();
  is_open_ = false;
  if (!call_) return;
  finish({.status = status,
          .reason = is_opening && had_started ? why + " while it opened the problem" : why,
          .doing = doing_.what,
          .step = doing_.step,
          .has_died = true,
          .is_opening = is_opening});
}

void WorkerClient::finish(WorkAnswer answer) {
  if (!process_) is_open_ = false;
  const WorkerCall call = *std::exchange(call_, std::nullopt);
  call.done(answer);
}

}  // namespace thallo
