#include "core/kernel/program_print.h"

#include <iterator>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/multigrid.h"

namespace thallo {

std::string_view to_string(BufferKind kind) {
  switch (kind) {
    case BufferKind::State: return "solver state";
    case BufferKind::Vector: return "a scalar per unknown scalar";
    case BufferKind::ElementBlock: return "a block per element";
    case BufferKind::Mask: return "a byte per element";
    case BufferKind::Values: return "stored values";
    case BufferKind::Rounded: return "a copy in the working precision";
    case BufferKind::Derivatives: return "stored derivatives of an intermediate";
    case BufferKind::Product: return "stored product";
    case BufferKind::Matrix: return "N x N";
    case BufferKind::Multigrid: return "levels of multigrid";
    case BufferKind::Partials: return "parts of sums";
  }
  THALLO_UNREACHABLE();
}

namespace {

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const KernelProgram& program) : program_(program) {}

  std::string run() && {
    line("program {}", program_.name);
    line("\nbuffers");
    if (program_.vector_order != VectorOrder::Plain)
      line("  (vectors and blocks are {})", to_string(program_.vector_order));
    for (const BufferDecl& buffer : program_.buffers) {
      line("  {:<20} {}{}{}", buffer.name, to_string(buffer.kind), type_text(buffer),
           fields_text(buffer));
    }
    line("\nphases");
    for (const auto& [phase, steps] : program_.phases) {
      if (steps.empty()) continue;
      line("  {}", to_string(phase));
      for (const Step& step : steps) line("    {}", step_text(step));
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  static std::string_view type_text(const BufferDecl& buffer) {
    if (buffer.type == ScalarType::Half) return " in half precision";
    return buffer.type == ScalarType::Float ? " in single precision" : "";
  }
  std::string fields_text(const BufferDecl& buffer) const {
    if (buffer.fields.size() < 2) return "";
    std::string text;
    for (const FieldId field : buffer.fields) {
      text += (text.empty() ? ": " : ", ") + program_.field(field).name;
    }
    return text;
  }
  const std::string& buffer_name(std::size_t buffer) const { return program_.buffers[buffer].name; }

  std::string product_text(const MultiplyMatrix& step) const {
    return buffer_name(program_.matrices[step.matrix].values) + (step.is_transposed ? "^T" : "");
  }

  static std::string gate_text(const std::optional<Gate>& gate) {
    if (!gate) return {};
    return fmt::format("   if {} == {}", StateSlotNames[static_cast<std::size_t>(gate->slot)],
                       gate->value);
  }

  std::string step_text(const Step& step) const {
    return std::visit(
        [&]<class T>(const T& s) {
          if constexpr (std::is_same_v<T, LaunchKernel>) {
            std::string text = program_.kernels[s.kernel].label;
            for (const auto& [field, memory] : s.rebind) {
              text +=
                  fmt::format(", {} = {}", program_.field(field).name, program_.field(memory).name);
            }
            return text + gate_text(s.gate);
          } else if constexpr (std::is_same_v<T, ClearBuffer>) {
            return fmt::format("clear {}", buffer_name(s.buffer));
          } else if constexpr (std::is_same_v<T, MultiplyMatrix>) {
            return fmt::format("{}: {} {} {} {}", label_of(program_, s), buffer_name(s.y),
                               s.adds ? "+=" : "=", product_text(s), buffer_name(s.x));
          } else if constexpr (std::is_same_v<T, AddGram>) {
            const std::string& j = buffer_name(program_.matrices[s.matrix].values);
            return fmt::format("{}: {} += {}^T {}", label_of(program_, s), buffer_name(s.to), j, j);
          } else if constexpr (std::is_same_v<T, RunMultigrid>) {
            return label_of(s) + gate_text(s.gate);
          } else {
            return fmt::format("{}: solve {} {} = {}", s.solver->name(), buffer_name(s.matrix),
                               buffer_name(s.x), buffer_name(s.b));
          }
        },
        step);
  }

  const KernelProgram& program_;
  std::string out_;
};

}  // namespace

std::string to_string(const KernelProgram& program) { return ProgramPrinter(program).run(); }

}  // namespace thallo
