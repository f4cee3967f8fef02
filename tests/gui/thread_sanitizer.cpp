// What tests of the app need in a build with the thread sanitizer, since Qt and what it uses are
// built without.
#include <cerrno>
#include <csignal>
#include <cstdarg>

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {

// The sanitizer sees that Qt allocates and frees, and not the locks of libraries between that: they
// are no functions that it knows. What our threads hand each other goes under a std::mutex
// (gui/jobs/mailbox.h).
const char* __tsan_default_suppressions() {
  return "called_from_lib:libQt6Core.so\n"
         "called_from_lib:libQt6Gui.so\n"
         "called_from_lib:libQt6Widgets.so\n"
         "called_from_lib:libQt6XcbQpa.so\n"
         "called_from_lib:libglib-2.0.so\n"
         "called_from_lib:libxcb.so\n"
         "mutex:libX11.so\n";
}

// Qt starts programs by a clone that shares its memory. The sanitizer takes that for a fork,
// notes in the shared memory that this is the child, and from then on watches nothing. So
// here it is a fork.
int clone(int (*run)(void*), void* /*stack*/, int flags, void* argument, ...) {
  va_list rest;
  va_start(rest, argument);
  int* descriptor = va_arg(rest, int*);
  va_end(rest);
  const pid_t child = fork();
  if (child == 0) _exit(run(argument));
  if (child < 0 || (flags & CLONE_PIDFD) == 0) return child;
  *descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (*descriptor >= 0) return child;
  const int error = errno;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  errno = error;
  return -1;
}

}  // extern "C"
