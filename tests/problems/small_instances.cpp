#include "tests/problems/small_instances.h"

namespace thallo::test {

const std::vector<SmallInstance>& small_instances() {
  static const std::vector<SmallInstance> instances = {
      {"arap_mesh_deformation", {{"detail", 1}}},
      {"bundle_adjustment", {{"cameras", 4}, {"points", 20}, {"track_length", 3.0}}},
      {"bundle_fusion", {{"frames", 3}, {"width", 12}, {"matches", 20}}},
      {"bundle_fusion", {{"dense", false}, {"frames", 3}, {"width", 16}, {"matches", 20}}},
      {"cotangent_mesh_smoothing", {{"around", 8}}},
      {"curve_fit", {}},
      {"deconvolution", {{"size", 12}, {"kernel_size", 5}}},
      {"embedded_mesh_deformation", {{"across", 1}}},
      {"face_fitting", {{"across", 4}, {"shapes", 6}}},
      {"image_warping", {{"size", 16}}},
      {"intrinsic_image_decomposition", {{"size", 16}}},
      {"optical_flow", {{"size", 32}}},
      {"optical_flow", {{"size", 32}, {"method", "robust"}}},
      {"poisson_image_editing", {{"size", 20}}},
      {"pose_graph", {{"dimension", 2}, {"rounds", 3}, {"poses_a_round", 6}}},
      {"pose_graph", {{"dimension", 3}, {"rounds", 3}, {"poses_a_round", 6}}},
      {"procrustes_alignment", {{"around", 3}}},
      {"robust_nonrigid_alignment", {{"around", 6}, {"targets", 1}}},
      {"shape_and_shading", {{"size", 16}}},
      {"shape_from_shading", {{"size", 16}}},
      {"spatially_varying_deconvolution", {{"size", 12}, {"kernel_size", 5}}},
      {"volumetric_mesh_deformation",
       {{"cells_x", 2}, {"cells_y", 4}, {"cells_z", 2}, {"around", 8}}}};
  return instances;
}

}  // namespace thallo::test
