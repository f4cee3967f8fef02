#!/bin/bash
# Exports problems to CUDA and runs them on a GPU, which may be another machine's:
#
#   tests/export/gpu.sh build FOLDER [PROBLEM ...]   where nvcc is; needs build/dev/bin/thallo
#   tests/export/gpu.sh run FOLDER                   where the GPU is
#
# Each example compares the costs with those of the cpu backend and prints its seconds.
set -euo pipefail
folder=$2
if [ "$1" = build ]; then
  shift 2
  [ $# -gt 0 ] || set -- image_warping arap_mesh_deformation bundle_adjustment pose_graph shape_from_shading
  for problem; do
    solver=pcg
    [ "$problem" != bundle_adjustment ] || solver=schur_pcg
    build/dev/bin/thallo export "$problem" --backend cuda --schedule opt --set "linear_solver=$solver" --out "$folder/$problem"
    cmake -S "$folder/$problem" -B "$folder/$problem/build" -DCMAKE_CUDA_ARCHITECTURES=90 \
      -DCMAKE_CUDA_COMPILER="${CUDACXX:-/usr/local/cuda/bin/nvcc}" >/dev/null
    cmake --build "$folder/$problem/build" --parallel 2 >/dev/null
  done
else
  for example in "$folder"/*/build/*_example; do
    echo "== $example"
    "$example" "$(dirname "$example")/../data" | tail -3 || echo "FAILED"
  done
fi
