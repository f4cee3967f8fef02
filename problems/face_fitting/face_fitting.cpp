// face_fitting: which face is it, and what expression has it?
// ===========================================================
//
// A face is an average and a weighted sum of blendshapes; a camera sees its vertices. Wanted are
// the weights. The energy is face_fitting.lua: few unknowns, each of which moves all vertices.
// Without a file it draws a face with blendshapes of its own; with --file it takes the deltas of
// the ICT face model. The picture is made of a face whose weights are drawn at random.
//
// The solver is Gauss-Newton with 5 steps of 25 PCG iterations, the published counts and weight;
// camera and size of the model (140 shapes) are the published ones as well.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/mesh.h"
#include "core/plugin/abi.h"
#include "core/problem/report/mesh_view.h"
#include "core/problem/text_problem.h"
#include "problems/face_fitting/drawn_face.h"
#include "problems/face_fitting/face_model.h"
#include "problems/face_fitting/ict_model.h"

namespace thallo::face_fitting {
namespace {

struct FaceInstance : InstanceData {
  FaceModel model;
  std::vector<double> truth;  // weights
  std::vector<double> seen;
  FieldId weights;
};

Expected<FaceModel> make_model(const Options& options) {
  constexpr int DrawnShapes = 24;
  const auto file = text_in(options, "file");
  const auto shapes = count_in(options, "shapes");
  if (!file.empty()) return read_ict_model(file, shapes == 0 ? PublishedShapes : shapes);
  return make_face(count_in(options, "across"), shapes == 0 ? DrawnShapes : shapes);
}

Mesh mesh_of(const FaceModel& model, const std::vector<double>& weights) {
  Mesh mesh;
  mesh.triangles = model.average.triangles;
  mesh.positions = deform(model, weights);
  return mesh;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

class FaceFitting : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"face_fitting", "Fitting a face model to what a camera sees",
            "Blanz and Vetter: A morphable model for the synthesis of 3D faces, SIGGRAPH 1999; "
            "energy and counts of Mara et al., Thallo, 2021; data: ICT-FaceKit",
            "a dense Jacobian: a Sum over all unknowns, stored by the energy's own schedule",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "Deltas of the ICT face model, with its neutral mesh beside it."),
        count_option("across", 30, "Drawn face: vertices in width, a third more in height.",
                     {3, 4096}),
        count_option("shapes", 0, "Blendshapes; 0 for 24 of the drawn face, 140 of a file.",
                     {0, 10000}),
        number_option("noise", 0.5, "Standard deviation of a coordinate in the picture, pixels.",
                      {0}),
        number_option("missing", 0.1, "The fraction of vertices that is not seen.", {0, 1}),
        count_option("seed", 1, "Seed of the true weights, the noise and what is missing.", {0}),
        number_option("reg_weight", 0.001, "Weight of small weights.", {0}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"across", 4}, {"shapes", 6}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    THALLO_TRY(auto model, make_model(options));
    auto data = std::make_shared<FaceInstance>();
    data->model = std::move(model);
    const auto seed = count_in<std::uint64_t>(options, "seed");
    data->truth = draw_weights(data->model, seed);
    data->seen = observe(data->model, data->truth,
                         {.noise = number_in(options, "noise"),
                          .missing = number_in(options, "missing"),
                          .seed = seed});
    data->weights = energy.find_field("BlendshapeWeights");
    const std::size_t num_vertices = data->model.num_vertices();
    const std::size_t num_shapes = data->model.num_shapes();

    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("N", static_cast<std::int64_t>(num_vertices)));
    THALLO_CHECK(binding.set_extent("M", static_cast<std::int64_t>(num_shapes)));
    THALLO_CHECK(binding.set_extent("U", 1));
    THALLO_CHECK(binding.set_field("BlendshapeWeights", std::vector<double>(num_shapes)));
    THALLO_CHECK(binding.set_field("Average", coordinates(data->model.average.positions)));
    THALLO_CHECK(binding.set_field("Basis", data->model.displacements));
    THALLO_CHECK(binding.set_field("Target", data->seen));
    THALLO_CHECK(binding.set_field("Camera", std::vector<double>(Camera.begin(), Camera.end())));
    THALLO_CHECK(set_weights(binding, options, {{"w_regSqrt", "reg_weight"}}));

    instance.solver.num_iterations = 5;
    instance.solver.num_linear_iterations = 25;
    instance.title = input_title(options, "drawn face");
    instance.labels = {{"vertices", std::to_string(num_vertices)},
                       {"blendshapes", std::to_string(num_shapes)}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const FaceInstance&>(*instance.data);
    const FaceModel& model = data.model;
    const std::vector<double> none(model.num_shapes());
    const std::vector<double> found = instance.binding.field(data.weights).to_doubles();

    Report report;
    // The diagonal of the average is 2.
    constexpr double PercentOfDiagonal = 50;
    report.metrics = {
        {"reprojection error before", reprojection_error(model, none, data.seen), "px"},
        {"reprojection error after", reprojection_error(model, found, data.seen), "px"},
        {"distance from the true face before",
         PercentOfDiagonal * distance(model, none, data.truth), "% of the diagonal"},
        {"distance from the true face after",
         PercentOfDiagonal * distance(model, found, data.truth), "% of the diagonal"},
        {"error of the weights before", difference(none, data.truth), "root mean square"},
        {"error of the weights after", difference(found, data.truth), "root mean square"},
    };
    ReportTable weights{
        "weights", "The weights of the blendshapes", {"shape", "found", "true"}, {}};
    for (std::size_t m = 0; m < found.size(); ++m) {
      weights.rows.push_back({std::to_string(m), fmt::format("{:.6g}", found[m]),
                              fmt::format("{:.6g}", data.truth[m])});
    }
    report.tables.push_back(std::move(weights));
    Mesh average = mesh_of(model, none);
    Mesh after = mesh_of(model, found);
    Mesh truth = mesh_of(model, data.truth);
    std::vector<MeshPanel> panels = {{average, {}}, {after, {}}, {truth, {}}};
    MeshView view = {.from = {0.35, 0.1, 1}, .up = {0, 1, 0}, .show_edges = false};
    report.images.push_back(
        {"before_after", "The average, the face that was found, the true one",
         [panels = std::move(panels), view] { return draw_meshes(panels, view); }});
    report.meshes.push_back({"average", "The average face", std::move(average)});
    report.meshes.push_back({"after", "The face that was found", std::move(after)});
    report.meshes.push_back({"truth", "The true face", std::move(truth)});
    return report;
  }
};

}  // namespace
}  // namespace thallo::face_fitting

THALLO_PLUGIN("face_fitting", "1.0.0", "",
              thallo::add_text_problem<thallo::face_fitting::FaceFitting>);
