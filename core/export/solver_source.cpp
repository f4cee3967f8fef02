#include "core/export/parts.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/kernel/arguments.h"

namespace thallo {
namespace {

class SolverSource {
 public:
  SolverSource(const ExportRequest& request, const ExportNames& names)
      : request_(request),
        generated_(request.generated),
        program_(request.generated.program),
        names_(names) {}

  std::string text() const {
    const std::string& solver = names_.solver();
    std::string text = fmt::format(
        "// {0}: the memory of a solve, its launches by phase, and the interface in C.\n\n"
        "#include \"{0}.h\"\n\n"
        "#include <algorithm>\n#include <cstdint>\n#include <exception>\n#include "
        "<functional>\n#include <new>\n#include <optional>\n"
        "#include <string>\n#include <vector>\n\n"
        "{1}#include \"inputs.h\"\n#include \"lists.h\"\n#include \"whole_solve.h\"\n\n",
        solver, own_headers());
    text += declared_kernels();
    text += fmt::format("namespace {0} {{\nnamespace {{\n\nusing Program = {1};\n\n", solver,
                        is_cuda() ? "CudaProgram" : "HostProgram");
    text += memory_struct() + bind_memory();
    for (const auto& [phase, steps] : program_.phases)
      if (is_run(phase) && !steps.empty()) text += steps_of(phase, steps);
    text += bind_steps() + traits();
    text += fmt::format("}}  // namespace\n}}  // namespace {}\n\n", solver);
    return text + interface_source(request_, names_);
  }

 private:
  bool is_cuda() const { return request_.dialect == Dialect::Cuda; }

  std::string own_headers() const {
    if (is_cuda()) return "#include \"cuda_program.h\"\n";
    return std::string(program_.solves_directly() ? "#include \"direct_step.h\"\n" : "") +
           "#include \"host_program.h\"\n";
  }

  // Sums over groups are for reports, which exported solvers do not make.
  static bool is_run(Phase phase) { return phase != Phase::GroupSums; }

  std::set<std::size_t> launched_kernels() const {
    std::set<std::size_t> kernels;
    for (const auto& [phase, steps] : program_.phases) {
      if (!is_run(phase)) continue;
      for (const Step& step : steps)
        if (const auto* launch = std::get_if<LaunchKernel>(&step)) kernels.insert(launch->kernel);
    }
    return kernels;
  }

  std::string declared_kernels() const {
    std::string text = "extern \"C\" {\n";
    for (const std::size_t k : launched_kernels()) {
      if (is_cuda()) {
        text += fmt::format("const void* {}_kernel(void);\n", names_.kernel(k));
        continue;
      }
      text += fmt::format(
          "void {0}(const void* arguments, long long section, long long begin, long long end,\n"
          "    double* partial);\n",
          names_.kernel(k));
      if (generated_.codes[k].has_epilogue)
        text += fmt::format("void {}_epilogue(const void* arguments);\n", names_.kernel(k));
    }
    return text + "}\n\n";
  }

  bool is_input(FieldId field) const { return program_.field(field).is_input(); }
  bool is_bound(FieldId field) const { return is_input(field) && !is_param(program_, field); }

  // The fields of a program in the order of their ids, that have memory.
  template <class Visit>
  void for_each_buffer_field(Visit visit) const {
    for (const BufferDecl& buffer : program_.buffers) {
      if (buffer.flat.valid()) visit(buffer, buffer.flat);
      for (const FieldId field : buffer.fields) visit(buffer, field);
    }
  }

  std::string memory_struct() const {
    std::string text =
        "// The extents and arrays of a solve: the caller's, and the solver's own.\n"
        "struct Memory {\n";
    for (std::size_t d = 0; d < program_.dims.size(); ++d)
      text += fmt::format("  std::int64_t {} = 0;\n", names_.dim(DimId(d)));
    text += "  std::int64_t num_unknowns = 0, num_matrix_rows = 0;\n  double* state = nullptr;\n";
    for (std::size_t f = 0; f < program_.fields.size(); ++f) {
      const FieldId field(f);
      if (!is_input(field)) continue;
      if (is_param(program_, field)) {
        text += fmt::format("  double {} = 0;\n", names_.field(field));
      } else {
        const bool is_unknown = program_.field(field).kind == FieldKind::Unknown;
        text += fmt::format("  {}{}* {} = nullptr;\n", is_unknown ? "" : "const ",
                            names_.type(field), names_.field(field));
      }
    }
    for_each_buffer_field([&](const BufferDecl&, FieldId field) {
      if (field != program_.state)
        text += fmt::format("  {}* {} = nullptr;\n", names_.type(field), names_.field(field));
    });
    for (std::size_t map = 0; map < program_.maps.size(); ++map)
      text += fmt::format("  const std::int32_t* {} = nullptr;\n", names_.map(MapId(map)));
    return text + "};\n\n";
  }

  std::string bind_memory() const {
    const std::string& solver = names_.solver();
    std::string text = fmt::format(
        "Memory bind_memory(Program& program, const {}_data& data) {{\n  Memory m;\n", solver);
    text += bind_inputs_text(program_, names_);
    text += fmt::format("  m.num_unknowns = {};\n  m.num_matrix_rows = {};\n",
                        names_.num_unknowns(), names_.num_matrix_rows());
    if (program_.unknown_scalars.valid())
      text += fmt::format("  m.{} = m.num_unknowns;\n", names_.dim(program_.unknown_scalars));
    if (program_.kept_scalars.valid())
      text += fmt::format("  m.{} = m.num_matrix_rows;\n", names_.dim(program_.kept_scalars));
    text += table_text(names_);
    for (const GroupedDim& grouped : program_.grouped_dims) {
      text += fmt::format("  m.{0} = (m.{1} + {2}) / {3};\n", names_.dim(grouped.groups),
                          names_.dim(grouped.of), grouped.size - 1, grouped.size);
    }
    text += inverses() + inputs_on_device();
    text += fmt::format("  m.state = program.allocate_states({});\n",
                        program_.has_members() ? "m." + names_.dim(program_.members) : "1");
    text += buffers() + sizes_check() + "  return m;\n}\n\n";
    return text;
  }

  // On a host the arrays of the caller are where they are.
  std::string inputs_on_device() const {
    std::string text;
    if (!is_cuda()) return text;
    for (const FieldId field : bound_fields(program_)) {
      if (is_param(program_, field)) continue;
      const bool is_unknown = program_.field(field).kind == FieldKind::Unknown;
      text += fmt::format("  m.{0} = program.{1}(m.{0}, {2});\n", names_.field(field),
                          is_unknown ? "unknown" : "input", names_.num_scalars(field));
    }
    for (const MapId map : bound_maps(program_)) {
      text += fmt::format("  m.{0} = program.input(m.{0}, {1});\n", names_.map(map),
                          names_.num_entries(map));
    }
    return text;
  }

  std::string inverses() const {
    std::string text;
    for (const InverseMap& inverse : program_.inverses) {
      const SparseMap& map = program_.maps[inverse.of.index()];
      text += fmt::format(
          "  {{\n    const CompressedInverse made = invert({{m.{0}, std::size_t({1})}}, {2});\n"
          "    m.{3} = program.keep(made.offsets);\n    m.{4} = program.keep(made.points);\n",
          names_.map(inverse.of), names_.num_entries(inverse.of), names_.num_points(map.out),
          names_.map(inverse.offsets), names_.map(inverse.points));
      for (const auto& [of, table] : inverse.followed) {
        text +=
            fmt::format("    m.{} = program.keep(followed(m.{}, {}, made.points));\n",
                        names_.map(table), names_.map(of), program_.maps[of.index()].out.size());
      }
      text += "  }\n";
    }
    return text;
  }

  std::string buffers() const {
    std::string text;
    for (const BufferDecl& buffer : program_.buffers) {
      if (buffer.kind == BufferKind::State) continue;
      const std::string type(names_.type(buffer.fields.front()));
      std::string first = "m." + names_.field(names_.first_in_memory(buffer));
      text += fmt::format("  {} = program.allocate<{}>({});\n", first, type,
                          names_.buffer_size(buffer));
      if (buffer.flat.valid())
        text += fmt::format("  m.{} = {};\n", names_.field(buffer.flat), first);
      for (const FieldId field : buffer.fields) {
        const std::string begin = names_.begin(field);
        if (begin != "0")
          text += fmt::format("  m.{} = {} + ({});\n", names_.field(field), first, begin);
      }
    }
    return text;
  }

  // Kernels count with 32 bits, or all of this would be needless.
  std::string sizes_check() const {
    if (index_bits(request_) == 64) return "";
    std::set<std::string> sizes;
    const auto add = [&sizes](const std::string& size) {
      if (size.find("m.") != std::string::npos) sizes.insert(size);
    };
    for (std::size_t f = 0; f < program_.fields.size(); ++f) add(names_.num_scalars(FieldId(f)));
    for (std::size_t map = 0; map < program_.maps.size(); ++map)
      add(names_.num_entries(MapId(map)));
    for (const std::size_t k : launched_kernels()) {
      for (const CodeBody& section : generated_.codes[k].sections)
        add(names_.num_points(section.extents));
    }
    return fmt::format("  check_sizes({});\n", braced_list({sizes.begin(), sizes.end()}, 15));
  }

  std::string steps_of(Phase phase, const std::vector<Step>& steps) const {
    std::string text =
        fmt::format("void add_{}(Program& program, const Memory& m) {{\n", to_string(phase));
    for (const Step& step : steps) text += step_text(request_, names_, phase, step);
    return text + "}\n\n";
  }

  std::string bind_steps() const {
    std::string text = "void bind_steps(Program& program, const Memory& m) {\n";
    for (const auto& [phase, steps] : program_.phases)
      if (is_run(phase) && !steps.empty())
        text += fmt::format("  add_{}(program, m);\n", to_string(phase));
    return text + "  program.finish();\n}\n\n";
  }

  std::string traits() const {
    const auto is_double = [&](SolverVector vector) {
      return names_.type(program_.buffers[program_.vector(vector)].fields.front()) == "double";
    };
    return fmt::format(
        "constexpr ProgramTraits Traits{{.solves_directly = {},\n"
        "                               .has_linear_loop = {},\n"
        "                               .resets_residual = {},\n"
        "                               .has_members = {},\n"
        "                               .has_bounds = {},\n"
        "                               .has_double_b = {},\n"
        "                               .has_double_r = {},\n"
        "                               .minimized_cost = StateSlot::{},\n"
        "                               .knows_minimized_cost = {}}};\n\n",
        program_.solves_directly(), program_.has_linear_loop(), program_.resets_residual(),
        program_.has_members(), program_.has_bounds(), is_double(SolverVector::B),
        is_double(SolverVector::R),
        StateSlotNames[static_cast<std::size_t>(program_.minimized_cost)],
        program_.knows_minimized_cost);
  }

  const ExportRequest& request_;
  const GeneratedProgram& generated_;
  const KernelProgram& program_;
  const ExportNames& names_;
};

}  // namespace

std::string solver_source(const ExportRequest& request, const ExportNames& names) {
  return SolverSource(request, names).text();
}

}  // namespace thallo
