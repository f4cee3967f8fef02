// thallo_seal FILE...: writes the seals of plugins (seal.h). It runs while plugins are built and
// installed.
#include <cstdio>

#include "core/plugin/seal.h"

int main(int num_arguments, char** arguments) {
  for (int i = 1; i < num_arguments; ++i) {
    if (const auto sealed = thallo::seal_library(arguments[i]); !sealed) {
      std::fprintf(stderr, "%s\n", sealed.error().message().c_str());
      return 2;
    }
  }
  return 0;
}
