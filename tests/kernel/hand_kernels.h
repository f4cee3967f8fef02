// Kernels that between them use all of the emitters: a stencil over a grid, a two-section graph
// kernel with scatters, reductions, epilogue and loop condition, one with every sort of value and
// statement, and a stencil with branches and all functions, which C compilers vectorize.
#pragma once

#include "tests/support/hand_code.h"

namespace thallo::test {

struct StencilKernel {
  StencilKernel();
  HandDeclarations hand;
  DimId width, height;
  FieldId u, out, weight;
  KernelCode code;
};

struct GraphKernel {
  GraphKernel();
  HandDeclarations hand;
  DimId vertices, edges;
  FieldId x, p, Ap;
  MapId ends;
  KernelCode code;
};

struct EverythingKernel {
  EverythingKernel();
  HandDeclarations hand;
  DimId width, height, depth;
  FieldId u, image, bytes, counts, exact, matrix, out, scale;
  KernelCode code;
};

struct WavesKernel {
  WavesKernel();
  HandDeclarations hand;
  DimId width, height;
  FieldId u, bytes, out;
  KernelCode code;
};

}  // namespace thallo::test
