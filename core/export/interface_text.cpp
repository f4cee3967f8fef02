#include "core/export/parts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/kernel/arguments.h"
#include "core/kernel/bind/sizes.h"

namespace thallo {
namespace {

// What has other names in IterationOptions.
std::string member_of(std::string_view option) {
  if (option == "nIterations") return "num_iterations";
  if (option == "lIterations") return "num_linear_iterations";
  return std::string(option);
}

// Names of options that say what a program is made of, which the export has decided.
bool is_decided(std::string_view name) {
  for (const std::string_view decided :
       {"solver", "linear_solver", "preconditioner", "eliminate", "deterministic"})
    if (name == decided) return true;
  return false;
}

// A comment of lines that begin with `begin`.
std::string comment(std::string_view begin, std::string text) {
  std::string result;
  const std::size_t most = 99 - begin.size();
  while (text.size() > most) {
    std::size_t end = text.rfind(' ', most);
    if (end == std::string::npos) end = text.find(' ');
    if (end == std::string::npos) break;
    result += fmt::format("{}{}\n", begin, text.substr(0, end));
    text.erase(0, end + 1);
  }
  return result + fmt::format("{}{}\n", begin, text);
}

std::string shape_text(const KernelProgram& program, const std::vector<DimId>& dims) {
  std::vector<std::string> names;
  for (const DimId dim : dims) names.push_back(program.dims[dim.index()].name);
  return fmt::format("({})", fmt::join(names, ", "));
}

std::string c_type(std::string_view type) {
  return std::string(type.starts_with("std::") ? type.substr(5) : type);
}

}  // namespace

std::vector<DimId> bound_dims(const KernelProgram& program) {
  std::vector<DimId> dims;
  // The program's own dims come after those of the energy.
  std::size_t first_own = program.dims.size();
  const auto is_own = [&first_own](DimId dim) {
    if (dim.valid()) first_own = std::min(first_own, dim.index());
  };
  is_own(program.unknown_scalars);
  is_own(program.kept_scalars);
  for (const GroupedDim& grouped : program.grouped_dims) is_own(grouped.groups);
  for (std::size_t d = 0; d < first_own; ++d) dims.emplace_back(d);
  return dims;
}

std::vector<FieldId> bound_fields(const KernelProgram& program) {
  std::vector<FieldId> fields;
  for (std::size_t f = 0; f < program.fields.size(); ++f)
    if (program.fields[f].is_input()) fields.emplace_back(f);
  return fields;
}

std::vector<MapId> bound_maps(const KernelProgram& program) {
  std::vector<MapId> maps;
  for (std::size_t map = 0; map < program.bound_maps().size(); ++map) maps.emplace_back(map);
  return maps;
}

int index_bits(const ExportRequest& request) {
  const auto sizes = ProgramSizes::make(request.generated.program, request.binding);
  return sizes ? sizes->index_bits() : 64;
}

std::vector<ExportedOption> exported_options(const ExportRequest& request) {
  const KernelProgram& program = request.generated.program;
  SolverOptions all = request.options;
  all.function_tolerance = all.effective_function_tolerance();
  all.loose_iterations = program.has_linear_loop() ? all.loose_iterations.value_or(0) : 0;
  for (const SolverOptionInfo& option : solver_option_infos())
    all.named.insert(std::string(option.name));
  const auto in_vain = all.named_in_vain(program.solves_directly());
  std::vector<ExportedOption> options;
  for (const SolverOptionInfo& option : solver_option_infos()) {
    if (is_decided(option.name) || std::ranges::find(in_vain, option.name) != in_vain.end())
      continue;
    if (option.name == "loose_iterations" && !program.solves_directly()) continue;
    const bool may_be_unset = option.legal.ends_with("unset") && option.name != "loose_iterations";
    const std::string value = all.text(option.name);
    options.push_back({.name = std::string(option.name),
                       .member = member_of(option.name),
                       .doc = option.doc + (may_be_unset ? "; below 0: no test" : ""),
                       .value = value == "unset" ? "-1" : value,
                       .is_integer = option.legal.starts_with("integer")});
  }
  return options;
}

std::string c_header(const ExportRequest& request, const ExportNames& names) {
  const KernelProgram& program = request.generated.program;
  const std::string& solver = names.solver();
  std::string text = fmt::format(
      "// {0}: a solver of nonlinear least squares for arrays of its caller.\n"
      "//\n"
      "//   {0}_data data = {{0}};  // extents, arrays, numbers\n"
      "//   {0}_options options = {0}_default_options();\n"
      "//   {0}_solver* solver = {0}_create(0);\n"
      "//   {0}_summary summary;\n"
      "//   if ({0}_solve(solver, &data, &options, &summary) != 0) puts({0}_error(solver));\n"
      "//   {0}_destroy(solver);\n"
      "//\n"
      "// The first dim of an array varies fastest, and the channels of an element are adjacent.\n"
      "#pragma once\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      solver);
  text += fmt::format(
      "// What is solved. Nothing is copied or kept after a solve.\n"
      "typedef struct {}_data {{\n",
      solver);
  for (const DimId dim : bound_dims(program))
    text += fmt::format("  int64_t {};  // extent\n", names.dim(dim));
  for (const FieldId id : bound_fields(program)) {
    const Field& field = program.field(id);
    if (is_param(program, id)) {
      text += fmt::format("  double {};  // param\n", names.field(id));
      continue;
    }
    const bool is_unknown = field.kind == FieldKind::Unknown;
    text += fmt::format(
        "  {}{}* {};  // {}, {} over {}{}\n", is_unknown ? "" : "const ", c_type(names.type(id)),
        names.field(id), is_unknown ? "unknown: the start, then the solution" : "array",
        field.channels == 1 ? "1 channel" : fmt::format("{} channels", field.channels),
        shape_text(program, field.dims),
        field.manifold == Manifold::Euclidean
            ? ""
            : fmt::format(", poses ({})", to_string(field.manifold)));
  }
  for (const MapId id : bound_maps(program)) {
    const SparseMap& map = program.maps[id.index()];
    text += fmt::format("  const int32_t* {};  // map from {} to {}{}\n", names.map(id),
                        shape_text(program, map.in), shape_text(program, map.out),
                        map.optional ? "; -1: missing" : "");
  }
  text += fmt::format("}} {}_data;\n\n", solver);
  text += fmt::format(
      "// One iteration, or the start. A callback returns 0 to end the solve; the unknowns have "
      "the\n"
      "// values of the iteration meanwhile.\n"
      "typedef struct {0}_iteration {{\n"
      "  int iteration;\n  int accepted;\n  int linear_iterations;\n  double cost;\n"
      "  double cost_change;\n  double gradient_max;\n  double step_norm;\n  double radius;\n"
      "  double seconds;\n}} {0}_iteration;\n"
      "typedef int (*{0}_callback)(void* context, const {0}_iteration* iteration);\n\n",
      solver);
  text += fmt::format("typedef struct {}_options {{\n", solver);
  for (const ExportedOption& option : exported_options(request)) {
    text += comment("  // ", option.doc);
    text += fmt::format("  {} {};  // {}\n", option.is_integer ? "int" : "double", option.name,
                        option.value);
  }
  text += fmt::format(
      "  {0}_callback callback;  // null: none\n  void* context;\n}} {0}_options;\n"
      "{0}_options {0}_default_options(void);\n\n",
      solver);
  text += fmt::format(
      "typedef struct {0}_summary {{\n  double initial_cost;\n  double final_cost;\n"
      "  int iterations;  // accepted and rejected\n  int accepted;\n"
      "  int64_t linear_iterations;\n  int converged;  // 1 if a tolerance was met\n"
      "  const char* ending;  // why it ended, in words\n  double seconds;\n}} {0}_summary;\n\n"
      "// A solver keeps its memory from solve to solve. It is used by one thread at a time, and\n"
      "// computes with `threads` threads; 0: as many as the machine has.\n"
      "typedef struct {0}_solver {0}_solver;\n"
      "{0}_solver* {0}_create(int threads);\n"
      "// Returns 0 if it has solved, whether or not it converged. Otherwise {0}_error() says "
      "what\n"
      "// is wrong with the data, and the unknowns are as they were. `options` and `summary` may "
      "be\n"
      "// null.\n"
      "int {0}_solve({0}_solver* solver, const {0}_data* data, const {0}_options* options,\n"
      "    {0}_summary* summary);\n"
      "const char* {0}_error(const {0}_solver* solver);\n"
      "void {0}_destroy({0}_solver* solver);\n\n"
      "#ifdef __cplusplus\n}}\n#endif\n",
      solver);
  return text;
}

std::string cpp_header(const ExportNames& names) {
  return fmt::format(
      "// {0} for C++: {0}.h, with errors as exceptions.\n"
      "//\n"
      "//   {0}::Data data{{...}};  // extents, arrays, numbers\n"
      "//   {0}::Solver solver;\n"
      "//   const {0}::Summary summary = solver.solve(data);\n"
      "#pragma once\n\n#include <memory>\n#include <stdexcept>\n\n#include \"{0}.h\"\n\n"
      "namespace {0} {{\n\n"
      "using Data = {0}_data;\nusing Options = {0}_options;\nusing Iteration = {0}_iteration;\n"
      "using Summary = {0}_summary;\n\n"
      "inline Options default_options() {{ return {0}_default_options(); }}\n\n"
      "class Solver {{\n public:\n"
      "  // `threads` of 0 are as many as the machine has.\n"
      "  explicit Solver(int threads = 0) : solver_({0}_create(threads)) {{\n"
      "    if (solver_ == nullptr) throw std::bad_alloc();\n  }}\n\n"
      "  // Throws std::runtime_error if something is wrong with the data.\n"
      "  Summary solve(const Data& data, const Options& options = default_options()) {{\n"
      "    Summary summary{{}};\n"
      "    if ({0}_solve(solver_.get(), &data, &options, &summary) != 0)\n"
      "      throw std::runtime_error({0}_error(solver_.get()));\n"
      "    return summary;\n  }}\n\n"
      " private:\n"
      "  struct Destroy {{\n"
      "    void operator()({0}_solver* solver) const {{ {0}_destroy(solver); }}\n  }};\n"
      "  std::unique_ptr<{0}_solver, Destroy> solver_;\n}};\n\n"
      "}}  // namespace {0}\n",
      names.solver());
}

std::string bind_inputs_text(const KernelProgram& program, const ExportNames& names) {
  std::string text;
  for (const DimId dim : bound_dims(program)) {
    text += fmt::format("  m.{0} = data.{0};\n  check_extent(\"{1}\", m.{0});\n", names.dim(dim),
                        program.dims[dim.index()].name);
  }
  for (const FieldId field : bound_fields(program)) {
    text += fmt::format("  m.{0} = data.{0};\n", names.field(field));
    if (!is_param(program, field)) {
      text += fmt::format("  check_array(\"{}\", m.{}, {});\n", program.field(field).name,
                          names.field(field), names.num_scalars(field));
    }
  }
  for (const MapId id : bound_maps(program)) {
    const SparseMap& map = program.maps[id.index()];
    std::vector<std::string> extents;
    for (const DimId dim : map.out) extents.push_back("m." + names.dim(dim));
    text += fmt::format("  m.{0} = data.{0};\n  check_map(\"{1}\", m.{0}, {2}, {{{3}}}, {4});\n",
                        names.map(id), map.name, names.num_points(map.in), fmt::join(extents, ", "),
                        map.optional);
  }
  return text;
}

std::string interface_source(const ExportRequest& request, const ExportNames& names) {
  const std::string& solver = names.solver();
  std::string defaults, copies;
  for (const ExportedOption& option : exported_options(request)) {
    defaults += fmt::format("  options.{} = {};\n", option.name, option.value);
    copies += fmt::format("  to.{} = from.{};\n", option.member, option.name);
  }
  const std::string kind =
      request.options.solver == SolverKind::GaussNewton ? "GaussNewton" : "LevenbergMarquardt";
  return fmt::format(
      R"(struct {0}_solver {{
  int threads = 0;
  std::optional<{0}::Program> program;  // made by the first solve
  std::string error;
}};

namespace {0} {{
namespace {{

IterationOptions options_of(const {0}_options& from) {{
  IterationOptions to;
  to.solver = SolverKind::{1};
{2}  return to;
}}

{0}_iteration iteration_of(const IterationRecord& record) {{
  {0}_iteration iteration{{}};
  iteration.iteration = record.iteration;
  iteration.accepted = record.accepted ? 1 : 0;
  iteration.linear_iterations = record.linear_iterations;
  iteration.cost = record.cost;
  iteration.cost_change = record.cost_change;
  iteration.gradient_max = record.gradient_max;
  iteration.step_norm = record.step_norm;
  iteration.radius = record.radius;
  iteration.seconds = record.seconds;
  return iteration;
}}

{0}_summary solve(Program& program, const {0}_data& data, const {0}_options& options) {{
  program.begin();
  bind_steps(program, bind_memory(program, data));
  std::function<bool(const IterationRecord&)> callback;
  if (options.callback != nullptr) {{
    callback = [&options](const IterationRecord& record) {{
      const {0}_iteration iteration = iteration_of(record);
      return options.callback(options.context, &iteration) != 0;
    }};
  }}
  const WholeSolve solved = solve_whole(program, Traits, options_of(options), callback);
  program.finish_solve();
  {0}_summary summary{{}};
  summary.initial_cost = solved.initial_cost;
  summary.final_cost = solved.final_cost;
  summary.iterations = solved.num_iterations;
  summary.accepted = solved.num_accepted;
  summary.linear_iterations = solved.num_linear_iterations;
  summary.converged = is_convergence(solved.termination) ? 1 : 0;
  summary.ending = describe(solved.termination).data();
  summary.seconds = solved.seconds;
  return summary;
}}

}}  // namespace
}}  // namespace {0}

{0}_options {0}_default_options(void) {{
  {0}_options options{{}};
{3}  return options;
}}

{0}_solver* {0}_create(int threads) {{
  return new (std::nothrow) {0}_solver{{threads, {{}}, {{}}}};
}}

int {0}_solve({0}_solver* solver, const {0}_data* data, const {0}_options* options,
    {0}_summary* summary) {{
  try {{
    if (!solver->program) solver->program.emplace(solver->threads);
    const {0}_summary solved = {0}::solve(
        *solver->program, *data, options != nullptr ? *options : {0}_default_options());
    if (summary != nullptr) *summary = solved;
    return 0;
  }} catch (const std::exception& failed) {{
    solver->error = failed.what();
    return 1;
  }}
}}

const char* {0}_error(const {0}_solver* solver) {{ return solver->error.c_str(); }}

void {0}_destroy({0}_solver* solver) {{ delete solver; }}
)",
      solver, kind, copies, defaults);
}

}  // namespace thallo
