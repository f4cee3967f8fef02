// Makes all file systems refuse locks, in a program that loads this library first (LD_PRELOAD). The
// environment says by which error.
#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string_view>

namespace {

int call(const char* name, int file, int command, void* argument) {
  if (command == F_SETLK || command == F_SETLKW) {
    const char* error = std::getenv("THALLO_LOCKS_FAIL");
    errno = error != nullptr && std::string_view(error) == "ENOSYS" ? ENOSYS : ENOLCK;
    return -1;
  }
  using Function = int (*)(int, int, ...);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name))(file, command, argument);
}

void* argument_of(va_list& arguments) { return va_arg(arguments, void*); }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = argument_of(arguments);
  va_end(arguments);
  return call("fcntl", file, command, argument);
}

__attribute__((visibility("default"))) int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = argument_of(arguments);
  va_end(arguments);
  return call("fcntl64", file, command, argument);
}

}  // extern "C"
