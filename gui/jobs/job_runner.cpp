#include "gui/jobs/job_runner.h"

#include <exception>

namespace thallo::gui {

JobRunner::JobRunner(int numThreads) {
  m_threads.setMaxThreadCount(numThreads);
  // Keeps threads alive, because their caches stay warm.
  m_threads.setExpiryTimeout(-1);
  // Expressions nest deeply, and constructs of plugins recurse over them.
  m_threads.setStackSize(16u << 20);
}

JobRunner::~JobRunner() {
  for (auto& [slot, ticket] : m_current) ticket.stop.request_stop();
  {
    std::unique_lock lock(m_mutex);
    m_allFinished.wait(lock, [this] { return m_numUnfinished == 0; });
  }
  m_threads.waitForDone();
}

void JobRunner::begin(const QString& slot, std::function<void(const Ticket&)> job) {
  const bool wasBusy = isBusy(slot);
  if (wasBusy) m_current.at(slot).stop.request_stop();
  const Ticket ticket{slot, ++m_lastNumber, {}};
  m_current.insert_or_assign(slot, ticket);
  {
    const std::lock_guard lock(m_mutex);
    ++m_numUnfinished;
    m_waiting.emplace_back([ticket, job = std::move(job)] {
      if (!ticket.stop.stop_requested()) job(ticket);
    });
  }
  m_threads.start([this] { runNext(); });
  if (!wasBusy) Q_EMIT busyChanged(slot, true);
}

void JobRunner::runNext() {
  std::function<void()> job;
  {
    const std::lock_guard lock(m_mutex);
    job = std::move(m_waiting.front());
    m_waiting.pop_front();
  }
  job();
  job = nullptr;  // with everything that it owns
  const std::lock_guard lock(m_mutex);
  if (--m_numUnfinished == 0) m_allFinished.notify_all();
}

void JobRunner::deliver(const Ticket& ticket, std::function<void()> done) {
  m_mailbox.post([this, slot = ticket.slot, number = ticket.number, done = std::move(done)] {
    const auto current = m_current.find(slot);
    if (current == m_current.end() || current->second.number != number) return;
    m_current.erase(current);
    done();
    // `done` may have started the next job of the slot.
    if (!isBusy(slot)) Q_EMIT busyChanged(slot, false);
  });
}

void JobRunner::cancel(const QString& slot) {
  const auto current = m_current.find(slot);
  if (current == m_current.end()) return;
  current->second.stop.request_stop();
  m_current.erase(current);
  Q_EMIT busyChanged(slot, false);
}

Diagnostic JobRunner::currentFault() {
  try {
    throw;
  } catch (const std::exception& error) {
    return Diagnostic{error.what(), {}, {}};
  } catch (...) {
    return Diagnostic{"an exception of unknown type was thrown", {}, {}};
  }
}

}  // namespace thallo::gui
