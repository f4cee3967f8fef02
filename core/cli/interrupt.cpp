#include "core/cli/interrupt.h"

#include <csignal>

namespace thallo::cli {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // else no signal handler may set it

void set_handler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted = false;
  set_handler([](int) { interrupted = true; });
}

InterruptWatch::~InterruptWatch() { set_handler(SIG_DFL); }

const std::atomic<bool>& InterruptWatch::is_interrupted() const { return interrupted; }

}  // namespace thallo::cli
