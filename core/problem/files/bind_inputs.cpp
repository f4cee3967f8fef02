#include "core/problem/files/bind_inputs.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/host_machine.h"
#include "core/base/option_text.h"
#include "core/base/parse_number.h"
#include "core/base/suggest.h"
#include "core/problem/files/data_part.h"
#include "core/problem/files/field_values.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

class InputBinder {
 public:
  explicit InputBinder(const Energy& energy)
      : energy_(energy), result_{Binding(energy), {}, {}, {}}, extents_(energy.dims().size()) {}

  void bind(std::span<const SourceText> texts) {
    for (const SourceText& text : texts) {
      concerned_ = {text.name};
      if (check_name(text)) sources_[text.name] = text.source;
    }
    for (const auto& [name, source] : sources_) {
      concerned_ = {name};
      if (const DimId dim = energy_.find_dim(name); dim.valid()) bind_dim(dim, source);
    }
    for (const auto& [name, source] : sources_) {
      if (energy_.find_dim(name).valid() || is_value(source)) continue;
      concerned_ = {name};
      const FieldId field = energy_.find_field(name);
      field.valid() ? bind_field_file(energy_.field(field), source)
                    : bind_map(energy_.map(energy_.find_map(name)), source);
    }
    for (std::size_t i = 0; i < extents_.size(); ++i) set_extent(DimId(i));
    if (fit_only_alone()) return refuse_memory();
    for (const Field& field : energy_.fields()) bind_field_value(field);
    for (const SparseMap& map : energy_.maps()) bind_map_value(map);
  }
  // Replaces all faults by the one that memory does not suffice, which concerns no single input.
  void refuse_memory() { faults_ = {{out_of_memory_text(energy_, extents()), {}}}; }

  const std::vector<BindingFault>& faults() const { return faults_; }
  BoundInputs take_result() { return std::move(result_); }
  std::map<std::string, BoundPart> take_parts() { return std::move(parts_); }

 private:
  // Returns the extent of each dim; -1 if it is not known yet.
  std::vector<std::int64_t> extents() const {
    std::vector<std::int64_t> sizes;
    for (const Extent& extent : extents_) sizes.push_back(extent.size);
    return sizes;
  }

  struct Extent {
    std::int64_t size = -1;
    std::string said_by;
  };

  // True if memory holds each array, but not all of them. The system would give each array its
  // memory, and end the process while they are filled.
  bool fit_only_alone() const {
    const auto memory = static_cast<double>(host_machine().memory_bytes);
    double all = 0, largest = 0;
    for (const Field& field : energy_.fields()) {
      if (field.kind == FieldKind::Intermediate) continue;
      const double bytes = host_bytes(field, extents());
      all += bytes;
      largest = std::max(largest, bytes);
    }
    return largest <= memory && all > memory;
  }

  template <class... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    add_fault(fmt::vformat(format, fmt::make_format_args(args...)));
  }
  void add_fault(std::string text) { faults_.push_back({std::move(text), concerned_}); }

  bool check_name(const SourceText& text) {
    const std::vector<std::string> known = energy_.input_names();
    if (std::ranges::find(known, text.name) != known.end()) return true;
    const std::string what = fmt::format("{}={}: the energy has no input", text.name, text.source);
    add_fault(unknown_name(what, text.name, known).message());
    return false;
  }

  std::string dims_text(const std::vector<DimId>& dims) const {
    return fmt::format("{}", fmt::join(energy_.dim_names(dims), ", "));
  }

  void bind_dim(DimId dim, const std::string& source) {
    attempted_.insert(dim);
    const auto extent = parse_number<std::int32_t>(source);
    if (!extent || *extent < 1) {
      fault("{0}={1}: '{0}' is a dim; its extent is an integer from 1 to 2147483647",
            energy_.dim(dim).name, source);
      return;
    }
    agree(dim, *extent, fmt::format("{}={}", energy_.dim(dim).name, source));
  }

  // Records an extent of a dim. Every source that gives one must give the same.
  void agree(DimId dim, std::int64_t size, const std::string& said_by) {
    Extent& extent = extents_[dim.index()];
    if (extent.size < 0) {
      extent = {size, said_by};
    } else if (extent.size != size) {
      const auto before = concerned_;
      concerned_.push_back(extent.said_by.substr(0, extent.said_by.find('=')));
      concerned_.push_back(energy_.dim(dim).name);
      fault("dim '{}' is {} by {}, but {} by {}", energy_.dim(dim).name, extent.size,
            extent.said_by, size, said_by);
      concerned_ = before;
    }
  }

  // Returns the message for a source that is neither a file nor a value; one of the two was
  // mistyped.
  std::string absent_text(const std::string& name, const std::string& source,
                          const fs::path& path) const {
    std::error_code ignored;
    std::vector<std::string> neighbors;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      neighbors.push_back(entry.path().filename().string());
    std::ranges::sort(neighbors);
    return fmt::format(
        "{}={}: there is no file '{}'{}{}", name, source, path.string(),
        did_you_mean(path.filename().string(), neighbors),
        energy_.find_field(name).valid()
            ? " (values are numbers, e.g. 0.5 or 0,0,1, and zeros, ones, ramp, random)"
            : "");
  }

  struct OpenFile {
    std::shared_ptr<const DataFile> file;
    std::map<int, PartReader> readers;  // by the rank of the input
  };

  // Reads a file, once. Returns null if it cannot be read.
  OpenFile* open(const std::string& name, const std::string& source, const fs::path& path) {
    if (refused_.contains(path)) return nullptr;
    OpenFile& opened = opened_[path];
    if (opened.file) return &opened;
    auto read = read_data_file(path);
    if (read) {
      opened.file = std::make_shared<const DataFile>(*std::move(read));
      return &opened;
    }
    std::error_code ignored;
    add_fault(fs::exists(path, ignored) ? read.error().message() : absent_text(name, source, path));
    refused_.insert(path);
    return nullptr;
  }

  struct Selected {
    std::shared_ptr<const DataFile> file;
    std::string selection;
    DataPart part;
  };

  // Opens the file, selects the part, and checks that it has as many extents as `dims`.
  std::optional<Selected> take(const std::string& name, const std::string& source,
                               const std::vector<DimId>& dims) {
    auto [path, selection] = split_source(source);
    OpenFile* opened = open(name, source, path);
    if (opened == nullptr) return std::nullopt;
    const auto rank = static_cast<int>(dims.size());
    auto& reader = opened->readers.try_emplace(rank, *opened->file, rank).first->second;
    auto part = reader.select(selection);
    if (!part) {
      fault("{}={}: {}", name, source, part.error().message());
      return std::nullopt;
    }
    if (!part->warning.empty() &&
        std::ranges::find(result_.warnings, part->warning) == result_.warnings.end())
      result_.warnings.push_back(part->warning);
    // The one row of a table is a param of several numbers.
    if (dims.empty() && part->extents == std::vector<std::int64_t>{1}) part->extents.clear();
    parts_[name] = {opened->file, part->name, part->extents, part->num_channels()};
    if (part->extents.size() != dims.size()) {
      fault("{0}={1}: '{0}' is over {2} dims ({3}), but {4} is over {5} ({6})", name, source,
            dims.size(), dims_text(dims), part->name, part->extents.size(),
            fmt::join(part->extents, " x "));
      return std::nullopt;
    }
    return Selected{opened->file, std::move(selection), *std::move(part)};
  }

  void agree_all(const std::vector<DimId>& dims, const DataPart& part, const std::string& said_by) {
    for (std::size_t i = 0; i < dims.size(); ++i) agree(dims[i], part.extents[i], said_by);
  }

  void bind_field_file(const Field& field, const std::string& source) {
    if (field.kind == FieldKind::Param) {
      fault("{0}={1}: '{0}' is a param; it is bound to a number, e.g. {0}=0.5", field.name, source);
      return;
    }
    attempted_.insert(field.dims.begin(), field.dims.end());
    auto selected = take(field.name, source, field.dims);
    if (!selected) return;
    DataPart& part = selected->part;
    if (part.num_channels() != static_cast<std::size_t>(field.channels)) {
      fault("{0}={1}: '{0}' has {2} channel{3}, but {1} has {4} ({5}){6}", field.name, source,
            field.channels, field.channels == 1 ? "" : "s", part.num_channels(),
            fmt::join(part.channels, ", "), channel_hint(field, *selected));
      return;
    }
    // Samples of pictures are rounded, as is usual for pictures.
    if (integer_type(field.type) && std::holds_alternative<Raster>(selected->file->content)) {
      for (double& value : part.values) value = std::round(value);
    }
    if (const auto misfit = find_misfit(field, part.values)) {
      fault("{}={}: {} at {} {}", field.name, source, part.values[*misfit],
            place_text(part, *misfit), misfit_text(field));
      return;
    }
    agree_all(field.dims, part, fmt::format("{}={}", field.name, source));
    set_field(field, source, to_host(field, std::move(part.values), part.full_scale));
    result_.files[field.name] = {selected->file, selected->selection};
  }

  void set_field(const Field& field, const std::string& source, HostArray values) {
    const auto set = result_.binding.set_field(field.name, std::move(values));
    if (!set) fault("{}={}: {}", field.name, source, set.error().message());
  }

  static std::string channel_hint(const Field& field, const Selected& selected) {
    const DataPart& part = selected.part;
    const auto wanted = static_cast<std::size_t>(field.channels);
    const std::string prefix = part.name == "pixels" ? "" : part.name + ".";
    std::string example;
    const auto* picture = std::get_if<Raster>(&selected.file->content);
    const bool has_index = picture != nullptr && !picture->index.channels.empty();
    if (wanted == 1 && has_index && integer_type(field.type)) {
      example = "index";
    } else if (wanted == 1 && (part.channels.front() == "r" || part.channels.front() == "R")) {
      example = "gray";
    } else {
      for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t channel = std::min(i, part.num_channels() - 1);
        example += (i > 0 ? "," : "") + prefix + part.channels[channel];
      }
    }
    return fmt::format("; choose, e.g. {}={}:{}", field.name, selected.file->path.string(),
                       example);
  }

  // Returns the place of a value as NumPy would write it: "[row, column, channel]".
  static std::string place_text(const DataPart& part, std::size_t i) {
    std::vector<std::string> indices;
    std::size_t element = i / part.num_channels();
    for (const std::int64_t extent : part.extents) {
      indices.insert(indices.begin(), std::to_string(element % static_cast<std::size_t>(extent)));
      element /= static_cast<std::size_t>(extent);
    }
    if (part.num_channels() > 1) indices.push_back(part.channels[i % part.num_channels()]);
    return fmt::format("[{}]", fmt::join(indices, ", "));
  }

  void bind_map(const SparseMap& map, const std::string& source) {
    attempted_.insert(map.in.begin(), map.in.end());
    auto selected = take(map.name, source, map.in);
    if (!selected) {
      attempted_.insert(map.out.begin(), map.out.end());
      return;
    }
    const DataPart& part = selected->part;
    const std::string path = selected->file->path.string();
    if (part.num_targets == 0 && std::holds_alternative<Mesh>(selected->file->content)) {
      fault(
          "{0}={1}: '{0}' is a sparse map and needs indices, but {2} are values; e.g. {0}={3}:"
          "edges.0, {0}={3}:triangles.2, {0}={3}:rings.1",
          map.name, source, part.name, path);
      return;
    }
    if (part.num_channels() != map.out.size()) {
      fault(
          "{0}={1}: '{0}' leads to {2} dim{3} ({4}), but {5} has {6} channels ({7}); choose, e.g. "
          "{0}={8}:{5}.{9}",
          map.name, source, map.out.size(), map.out.size() == 1 ? "" : "s", dims_text(map.out),
          part.name, part.num_channels(), fmt::join(part.channels, ", "), path,
          part.channels.empty() ? "0" : part.channels.front());
      return;
    }
    std::vector<std::int32_t> indices(part.values.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const double value = part.values[i];
      if (!(std::abs(value) <= 2147483647.0) || value != std::floor(value)) {
        fault("{}={}: {} at {} is no index, which is an integer of 32 bits", map.name, source,
              value, place_text(part, i));
        return;
      }
      indices[i] = static_cast<std::int32_t>(value);
    }
    const std::string said_by = fmt::format("{}={}", map.name, source);
    agree_all(map.in, part, said_by);
    if (part.num_targets > 0 && map.out.size() == 1)
      agree(map.out.front(), part.num_targets, said_by);
    (void)result_.binding.set_map(map.name, std::move(indices));
  }

  void bind_map_value(const SparseMap& map) {
    concerned_ = {map.name};
    const auto source = sources_.find(map.name);
    if (source == sources_.end()) {
      fault(
          "sparse map '{0}' is not bound; e.g. {0}=mesh.ply:edges.0, {0}=indices.csv or {0}=random",
          map.name);
      faults_.back().is_missing = true;
    } else if (is_value(source->second)) {
      auto values = make_map_values(map, extents(), source->second);
      if (values) {
        (void)result_.binding.set_map(map.name, *std::move(values));
      } else {
        add_fault(values.error().message());
      }
    }
  }

  void set_extent(DimId dim) {
    const Extent& extent = extents_[dim.index()];
    const std::string& name = energy_.dim(dim).name;
    concerned_ = {name};
    if (extent.size >= 0) {
      (void)result_.binding.set_extent(name, extent.size);
    } else if (!attempted_.contains(dim)) {
      fault(
          "dim '{}' has no extent: nothing over it is bound to a file; bind one, or the extent "
          "itself, e.g. {}",
          name, option_text("bind", name + "=100"));
      faults_.back().is_missing = true;
    }
  }

  void bind_field_value(const Field& field) {
    if (field.kind == FieldKind::Intermediate) return;
    concerned_ = {field.name};
    const auto found = sources_.find(field.name);
    if (found == sources_.end()) {
      if (field.kind != FieldKind::Unknown) {
        const bool is_param = field.kind == FieldKind::Param;
        fault("{0} '{1}' is not bound; e.g. {1}={2}", to_string(field.kind), field.name,
              is_param ? "0.5" : "FILE or a number");
        faults_.back().is_missing = true;
        return;
      }
      result_.zero_unknowns.push_back(field.name);
    } else if (!is_value(found->second)) {
      return;
    }
    const std::string source = found == sources_.end() ? "zeros" : found->second;
    auto values = make_field_values(energy_, field, result_.binding.extents(), source);
    if (values) {
      set_field(field, source, *std::move(values));
    } else {
      add_fault(values.error().message());
    }
  }

  const Energy& energy_;
  BoundInputs result_;
  std::vector<Extent> extents_;
  std::map<std::string, std::string> sources_;
  std::map<fs::path, OpenFile> opened_;
  std::set<fs::path> refused_;
  // Dims whose extent some binding should have given. If that binding was refused, only this fault
  // is reported, and not the missing extent.
  std::set<DimId> attempted_;
  std::vector<std::string> concerned_;  // the inputs that a fault concerns that is found now
  std::vector<BindingFault> faults_;
  std::map<std::string, BoundPart> parts_;
};

// Binds as far as memory suffices.
InputBinder bound(const Energy& energy, std::span<const SourceText> texts) {
  InputBinder binder(energy);
  try {
    binder.bind(texts);
  } catch (const std::bad_alloc&) {
    binder.refuse_memory();
  }
  return binder;
}

}  // namespace

std::pair<fs::path, std::string> split_source(std::string_view source) {
  std::error_code ignored;
  if (fs::exists(fs::path(source), ignored)) return {fs::path(source), ""};
  const std::size_t colon = source.rfind(':');
  if (colon == std::string_view::npos) return {fs::path(source), ""};
  return {fs::path(source.substr(0, colon)), std::string(source.substr(colon + 1))};
}

Expected<BoundInputs> bind_inputs(const Energy& energy, std::span<const SourceText> texts) {
  InputBinder binder = bound(energy, texts);
  if (binder.faults().empty()) return binder.take_result();
  std::vector<std::string> messages;
  for (const BindingFault& fault : binder.faults()) messages.push_back(fault.text);
  return fail("{}", fmt::join(messages, "\n"));
}

BindingCheck check_bindings(const Energy& energy, std::span<const SourceText> texts) {
  InputBinder binder = bound(energy, texts);
  return {binder.faults(), binder.take_parts()};
}

std::string inputs_help(const Energy& energy) {
  std::string text;
  const auto dims_of = [&](const std::vector<DimId>& dims) {
    return fmt::format("{}", fmt::join(energy.dim_names(dims), " x "));
  };
  for (const Field& field : energy.fields()) {
    if (field.kind == FieldKind::Intermediate) continue;
    text += fmt::format("  {:<8} {}", to_string(field.kind), field.name);
    if (!field.dims.empty())
      text += fmt::format(": {}, {} channel{}", dims_of(field.dims), field.channels,
                          field.channels == 1 ? "" : "s");
    text += '\n';
  }
  for (const SparseMap& map : energy.maps())
    text +=
        fmt::format("  {:<8} {}: {} -> {}\n", "map", map.name, dims_of(map.in), dims_of(map.out));
  return text;
}

}  // namespace thallo
