#include "core/kernel/emit/tile_text.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/kernel/emit/body.h"
#include "core/kernel/tiles.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

class TileWriter {
 public:
  TileWriter(EmitContext& context, const CodeBody& section, int indent)
      : context_(context), section_(section), space_(static_cast<std::size_t>(indent), ' ') {}

  std::string run(const std::string& block) && {
    write_coordinates(block);
    if (context_.reads_windows() && !section_.windows.empty()) write_windows();
    line("if (i0 < {} && i1 < {}) {{", dim(0), dim(1));
    text_ += BodyWriter(context_, section_).block(static_cast<int>(space_.size()) + 2);
    line("}}");
    return std::move(text_);
  }

 private:
  int extent(std::size_t domain) const { return tile_extent(context_.code().shape, domain); }
  std::string dim(std::size_t domain) { return context_.dim(section_.extents[domain]); }
  // The thread's place in the tile along the domain.
  std::string place(std::size_t domain) const {
    const int width = extent(0);
    if (domain == 0) return fmt::format("(idx_t)(threadIdx.x % {})", width);
    return domain == 1 ? fmt::format("(idx_t)(threadIdx.x / {})", width) : "0";
  }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += space_ + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  // corner0, corner1, ... is the first point of the tile.
  void write_coordinates(const std::string& block) {
    const std::size_t rank = section_.domains.size();
    std::string rest = block;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::string size = std::to_string(extent(d));
      if (d + 1 < rank) {
        line("const uidx_t tiles{0} = ((uidx_t){1} + {2}) / {3};", d, dim(d), extent(d) - 1, size);
        line("const uidx_t rest{0} = {1} / tiles{0};", d, rest);
        line("const idx_t corner{0} = (idx_t)(({1} - rest{0} * tiles{0}) * {2});", d, rest, size);
      } else {
        line("const idx_t corner{} = (idx_t)({} * {});", d, rest, size);
      }
      rest = fmt::format("rest{}", d);
      line("const idx_t {} = corner{} + {};", BodyWriter::coordinate(d), d, place(d));
    }
  }

  std::string pitch(std::size_t window, std::size_t component) const {
    return window_pitch(context_, section_, static_cast<int>(window), component);
  }

  void write_windows() {
    const std::string_view real = context_.name_of(ValueType::Real);
    line("extern __shared__ double shared[];");
    std::string memory = fmt::format("({}*)shared", real);
    for (std::size_t w = 0; w < section_.windows.size(); ++w) {
      const Window& window = section_.windows[w];
      const std::size_t rank = window.components.size();
      std::string origin;
      std::string places;
      for (std::size_t c = 0; c < rank; ++c) {
        write_component(w, c);
        const std::string begin = fmt::format("begin{}_{}", w, c);
        origin += c == 0 ? begin : fmt::format(" + {} * {}", pitch(w, c), begin);
        places = fmt::format("{}size{}_{}", c == 0 ? "" : pitch(w, c) + " * ", w, c);
        if (c > 0 && c + 1 < rank) line("const idx_t {} = {};", pitch(w, c + 1), places);
      }
      line("{}* const memory{} = {};", real, w, memory);
      write_load(w);
      line("const {}* const {} = memory{} - ({});", real, window_name(int(w)), w, origin);
      memory = fmt::format("memory{} + {}", w, places);
    }
    line("__syncthreads();");
  }

  // Where the window begins along a component, and its size.
  void write_component(std::size_t w, std::size_t c) {
    const Window::Component& component = section_.windows[w].components[c];
    const std::string first = outermost(component, -1);
    const std::string last = outermost(component, 1);
    if (component.coordinate < 0) {
      line("const idx_t begin{}_{} = {};", w, c, first);
      line("const idx_t size{0}_{1} = {2} - begin{0}_{1} + 1;", w, c, last);
      return;
    }
    const auto d = static_cast<std::size_t>(component.coordinate);
    const std::int64_t points = component.step * (extent(d) - 1);
    line("const idx_t begin{}_{} = {}corner{} + {};", w, c,
         component.step == 1 ? "" : fmt::format("{} * ", component.step), d, first);
    line("const idx_t size{}_{} = {} + {} - {};", w, c, points + 1, last, first);
  }

  // The least or the largest of the offsets.
  std::string outermost(const Window::Component& component, int sign) {
    std::map<std::string, std::int64_t> constants;  // by what loops add
    for (const Window::Offset& offset : component.offsets) {
      std::string loops;
      for (const auto& [dim, coefficient] : offset.loops) {
        if (sign * coefficient > 0) loops += times(coefficient, context_.dim(dim) + " - 1");
      }
      const auto [known, is_new] = constants.try_emplace(loops, offset.constant);
      if (sign * offset.constant > sign * known->second) known->second = offset.constant;
    }
    std::string result;
    for (const auto& [loops, constant] : constants) {
      const std::string text = fmt::format("(idx_t)({}{})", constant, loops);
      result =
          result.empty() ? text : fmt::format("{}({}, {})", sign < 0 ? "min" : "max", result, text);
    }
    return result;
  }
  static std::string times(std::int64_t coefficient, const std::string& term) {
    const std::string factor =
        std::abs(coefficient) == 1 ? "" : fmt::format("{} * ", std::abs(coefficient));
    return fmt::format(" {} {}({})", coefficient < 0 ? '-' : '+', factor, term);
  }

  // The threads of the block load the window row by row.
  void write_load(std::size_t w) {
    const Window& window = section_.windows[w];
    const Field& field = context_.program().field(window.field);
    const std::size_t rank = window.components.size();
    std::string inside;
    std::string element;
    for (std::size_t c = rank; c-- > 0;) {
      const std::string dim = context_.dim(field.dims[c]);
      std::string begin = "0";
      std::string stride = "1";
      if (rank == 1) {
        begin = "(idx_t)threadIdx.x";
        stride = std::to_string(context_.block_size());
      } else if (c < 2) {
        begin = place(c);
        stride = std::to_string(extent(c));
      }
      line("for (idx_t a{0} = {1}; a{0} < size{2}_{0}; a{0} += {3}) {{", c, begin, w, stride);
      space_ += "  ";
      line("const idx_t e{0} = begin{1}_{0} + a{0};", c, w);
      inside += fmt::format("{}(uidx_t)e{} < (uidx_t){}", inside.empty() ? "" : " && ", c, dim);
      element =
          element.empty() ? fmt::format("e{}", c) : fmt::format("e{} + {} * ({})", c, dim, element);
    }
    std::string at = "a0";
    for (std::size_t c = 1; c < rank; ++c) at += fmt::format(" + {} * a{}", pitch(w, c), c);
    line("memory{}[{}] = {} ? {} : 0;", w, at, inside, scalar(window, element));
    for (std::size_t c = 0; c < rank; ++c) {
      space_.resize(space_.size() - 2);
      line("}}");
    }
  }

  std::string scalar(const Window& window, const std::string& element) {
    const ChannelPlace place = VectorLayout(context_.program()).place(window.field, window.channel);
    std::string at = place.stride == 1 ? element : fmt::format("{} * ({})", place.stride, element);
    if (place.first > 0) at += fmt::format(" + {}", place.first);
    if (place.chunk.valid()) at = fmt::format("{} + {}", context_.chunk(place.chunk), at);
    const std::string text = fmt::format("{}[{}]", context_.field(window.field), at);
    const bool is_half = context_.memory(window.field) == ScalarType::Half;
    return fmt::format("({}){}", context_.name_of(ValueType::Real),
                       is_half ? from_half(text) : text);
  }

  EmitContext& context_;
  const CodeBody& section_;
  std::string space_;
  std::string text_;
};

}  // namespace

std::string window_name(int window) { return fmt::format("window{}", window); }

std::string window_pitch(const EmitContext& context, const CodeBody& section, int window,
                         std::size_t component) {
  if (component > 1) return fmt::format("pitch{}_{}", window, component);
  const Window& its = section.windows[static_cast<std::size_t>(window)];
  return std::to_string(row_pitch(context.code().shape, its));
}

std::string tile_text(EmitContext& context, const CodeBody& section, const std::string& block,
                      int indent) {
  return TileWriter(context, section, indent).run(block);
}

}  // namespace thallo
