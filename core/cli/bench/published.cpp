// thallo bench published: runs the published problems on their published inputs.
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cli/bench/bench.h"
#include "core/cli/output/progress_bar.h"
#include "core/problem/run_totals.h"

namespace thallo::cli {
namespace {

struct PublishedCase : DataCase {
  // The time of a linear iteration of the hand-written CUDA solver on an H200, everything included;
  // 0 if there is none.
  double hand_written_us = 0;
};

const std::vector<PublishedCase>& published_cases() {
  static const std::vector<PublishedCase> cases = {
      {"image_warping 512 x 512", "image_warping", {{"file", "opt_thallo/cat512.png"}}, {}, 46.3},
      {"poisson_image_editing 448 x 320",
       "poisson_image_editing",
       {{"file", "opt_thallo/poisson0.png"},
        {"source", "opt_thallo/poisson1.png"},
        {"mask", "opt_thallo/poisson_mask.png"}},
       {},
       25.6},
      {"shape_from_shading 640 x 480",
       "shape_from_shading",
       {{"file", "opt_thallo/shape_from_shading/default.SFSSolverParameters"}},
       {},
       51.3},
      {"arap_mesh_deformation, armadillo",
       "arap_mesh_deformation",
       {{"file", "opt_thallo/small_armadillo.ply"}},
       {{"subdivisions", std::int64_t{1}}},
       18.6},
      {"arap_mesh_deformation, dragon",
       "arap_mesh_deformation",
       {{"file", "meshes/dragon_vrip_res2.ply.gz"}},
       {{"solves", std::int64_t{1}}},
       45.3},
      {"cotangent_mesh_smoothing, head",
       "cotangent_mesh_smoothing",
       {{"file", "opt_thallo/head.ply"}},
       {},
       0},
      {"intrinsic_image_decomposition",
       "intrinsic_image_decomposition",
       {{"file", "opt_thallo/ye_high2.png"}},
       {},
       0},
      {"optical_flow, dogdance",
       "optical_flow",
       {{"file", "opt_thallo/dogdance0.png"}, {"second", "opt_thallo/dogdance1.png"}},
       {},
       0},
      {"procrustes_alignment, raptor",
       "procrustes_alignment",
       {{"file", "opt_thallo/raptor_simplify2k.off"}},
       {{"subdivisions", std::int64_t{1}}, {"noise", 0.0}, {"missing", 0.0}, {"shift", 0.0}},
       0},
      {"embedded_mesh_deformation, raptor",
       "embedded_mesh_deformation",
       {{"file", "opt_thallo/raptor_simplify2k.off"}},
       {},
       0},
      {"volumetric_mesh_deformation, head",
       "volumetric_mesh_deformation",
       {{"file", "opt_thallo/head.ply"}},
       {{"shift_x", 2.5}, {"shift_y", -2.5}},
       17.7},
      {"robust_nonrigid_alignment, first squat",
       "robust_nonrigid_alignment",
       {{"file", "opt_thallo/squat_source.obj.xz"},
        {"target", "opt_thallo/squat_target/mesh_0043.obj.xz"},
        {"tetrahedra", "opt_thallo/squat_tetmesh.ele.xz"}},
       {{"targets", std::int64_t{1}}},
       0},
      {"shape_and_shading 640 x 480",
       "shape_and_shading",
       {{"file", "opt_thallo/shape_from_shading/default.SFSSolverParameters"}},
       {},
       0},
      {"face_fitting, 11,248 vertices, 140 shapes",
       "face_fitting",
       {{"file", "blendshapes/ict_deltas_head11248.bin.xz"}},
       {},
       0},
      {"deconvolution 1168 x 783, 15 x 15",
       "deconvolution",
       {{"file", "opt_thallo/simple_proximal/b1.tif.xz"}},
       {},
       0},
      {"deconvolution 1168 x 783, 11 x 11",
       "deconvolution",
       {{"file", "opt_thallo/simple_proximal/b1.tif.xz"}},
       {{"kernel_size", std::int64_t{11}}},
       0},
      {"spatially_varying_deconvolution 1154 x 769",
       "spatially_varying_deconvolution",
       {{"file", "opt_thallo/sv_deconv/b1.tif.xz"}},
       {},
       0},
  };
  return cases;
}

}  // namespace

DataTable bench_published(const Bench& bench) {
  check_wanted(bench, published_cases());
  DataTable table("published", "Published inputs, sizes and counts of iterations",
                  {{"case", "case"},
                   {"backend", "backend"},
                   {"precision", "precision"},
                   {"unknowns", "unknowns"},
                   {"iterations", "iterations"},
                   {"linear_iterations", "linear"},
                   {"final_cost", "final cost", "{:.6e}"},
                   {"difference_percent", "from cpu, %", "{:.4f}"},
                   {"us_per_linear_iteration", "µs / linear iteration", "{:.2f}"},
                   {"hand_written_us", "hand-written, µs", "{:.1f}"},
                   {"seconds", "s in all", "{:.3f}"}});
  // Runs the cpu backend in double as well; its costs must agree with those of the requested
  // backend.
  std::unique_ptr<Backend> cpu;
  if (bench.backend.name() == "cuda") cpu = bench.session.backend("cpu");

  int num_left_out = 0;
  ProgressBar bar("published", static_cast<std::int64_t>(published_cases().size()));
  std::int64_t num_done = 0;
  for (const PublishedCase& published : published_cases()) {
    if (!bench.is_wanted(published.name)) continue;
    const auto options = find_options(published);
    if (!options) {
      ++num_left_out;
      continue;
    }
    std::optional<double> reference;
    const auto run_on = [&](Backend& backend, std::optional<Precision> precision) {
      bar.update(num_done, fmt::format("{} on {}", published.name, backend.name()));
      const Bench one{bench.session, backend, precision, bench.num_threads};
      const Run run = one.solve(published.problem, *options, {}, Precision::Float);
      const RunTotals totals = totals_of(run.solution);
      DataTable::Cell difference;
      DataTable::Cell hand_written;
      if (reference) difference = 100 * (run.solution.final_cost() / *reference - 1);
      if (backend.name() == "cuda" && published.hand_written_us > 0)
        hand_written = published.hand_written_us;
      table.add({published.name, run.solution.backend,
                 std::string(to_string(run.solution.precision)),
                 run.solution.solves.front().num_unknowns, std::int64_t{totals.iterations},
                 totals.linear_iterations, run.solution.final_cost(), difference,
                 1e6 * totals.seconds.linear / static_cast<double>(totals.linear_iterations),
                 hand_written, totals.seconds.total});
      return run.solution.final_cost();
    };
    if (cpu) reference = run_on(*cpu, Precision::Double);
    run_on(bench.backend, bench.precision);
    ++num_done;
  }
  table.note(
      "Hand-written: a linear iteration of the CUDA solvers published beside the energies, "
      "measured "
      "on an H200.");
  if (num_left_out > 0) {
    table.note(
        fmt::format("{} cases were left out: THALLO_DATA_DIR has not their files.", num_left_out));
  }
  return table;
}

}  // namespace thallo::cli
