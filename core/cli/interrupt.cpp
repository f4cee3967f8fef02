#include "core/cli/interrupt.h"

#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>

#include "core/base/scratch_folder.h"

namespace thallo::cli {
namespace {

constexpr std::array Signals = {SIGINT, SIGTERM};

std::atomic<bool> interrupted = false;
std::atomic<int> signal_of_watch = 0;
std::atomic<bool> ends_quietly = false;
// A signal handler may only set variables of lock-free atomic types.
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
sem_t signaled;  // posted by a watch's signal handler, and when the watch ends

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  for (const int signal : Signals) sigaddset(&action.sa_mask, signal);
  for (const int signal : Signals) sigaction(signal, &action, nullptr);
}

// Ends the process by the signal itself, so that a shell sees which signal ended it.
void end_process(int number) {
  abandon_scratch_folders();
  constexpr std::string_view Message = "thallo: interrupted\n";
  if (!ends_quietly) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, Message.data(), Message.size());
  }
  std::signal(number, SIG_DFL);
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, number);
  std::raise(number);
  pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);
}

void tell_watch(int number) {
  const int before = errno;
  signal_of_watch = number;
  interrupted = true;
  set_handler(end_process);
  sem_post(&signaled);
  errno = before;
}

}  // namespace

void handle_interrupts(bool is_quiet) {
  ends_quietly = is_quiet;
  set_handler(end_process);
  // To write a file that is too large then fails, with a message.
  std::signal(SIGXFSZ, SIG_IGN);
}

int interrupting_signal() { return signal_of_watch; }

InterruptWatch::InterruptWatch() {
  interrupted = false;
  sem_init(&signaled, 0, 0);
  waiting_ = std::jthread([this] { wait(); });
  set_handler(tell_watch);
}

void InterruptWatch::wait() {
  while (sem_wait(&signaled) != 0 && errno == EINTR) continue;
  if (!interrupted) return;
  stop_.request_stop();
  constexpr long Patience = 700'000'000;  // nanoseconds
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += Patience;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  int ended = 0;
  while ((ended = sem_clockwait(&signaled, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR)
    continue;
  if (ended != 0 && !keeps_) end_process(signal_of_watch);
}

InterruptWatch::~InterruptWatch() {
  set_handler(end_process);
  sem_post(&signaled);
  waiting_.join();
  sem_destroy(&signaled);
}

const std::atomic<bool>& InterruptWatch::is_interrupted() const { return interrupted; }

}  // namespace thallo::cli
