// A shared library that was never meant to be a plugin.
extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
