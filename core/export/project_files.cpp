#include "core/export/parts.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/backend/cpu/host_compiler.h"
#include "core/backend/with_type.h"
#include "core/base/error.h"
#include "core/kernel/arguments.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

// The build embeds them.
constexpr std::pair<std::string_view, std::string_view> Texts[] = {
#include "core/export/project_texts.inc"
};

// Puts values in place of their names: {"NAME", "denoise"} in place of @NAME@.
std::string filled(std::string_view name,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  const std::string file = fmt::format("{}.in", name);
  const auto* found = std::ranges::find_if(Texts, [&](const auto& t) { return t.first == file; });
  THALLO_ASSERT(found != std::end(Texts), "no text {}", name);
  std::string text(found->second);
  for (const auto& [key, value] : values) {
    const std::string mark = fmt::format("@{}@", key);
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Larger data stay where they are.
constexpr std::size_t MostDataBytes = std::size_t{64} << 20;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class Project {
 public:
  Project(const ExportRequest& request, const ExportNames& names)
      : request_(request), program_(request.generated.program), names_(names) {}

  std::vector<ExportedFile> files(const std::vector<ExportedFile>& sources) {
    std::vector<ExportedFile> files = data_files();
    const std::string& name = names_.solver();
    files.push_back(
        {"CMakeLists.txt", filled(request_.dialect == Dialect::C ? "host.cmake" : "cuda.cmake",
                                  {{"NAME", name},
                                   {"MACRO", upper(name)},
                                   {"SOURCES", source_list(sources)},
                                   {"LEVELS", levels(sources)},
                                   {"TEST", files.size() > 1 ? test() : ""}})});
    files.push_back({"README.md", readme()});
    files.push_back({"example/data_folder.h", filled("data_folder.h", {})});
    files.push_back({"example/example.cpp", filled("example.cpp", {{"NAME", name},
                                                                   {"TOLERANCE", tolerance()},
                                                                   {"ARRAYS", arrays()},
                                                                   {"FIELDS", fields()}})});
    files.push_back({"python/" + name + ".py", python()});
    files.push_back({std::string(ExportMark),
                     fmt::format("This folder is an export of '{}'. Another export may write to "
                                 "it.\n",
                                 program_.name)});
    return files;
  }

 private:
  std::string test() const {
    return fmt::format(
        "enable_testing()\n"
        "add_test(NAME {0} COMMAND {0}_example \"${{CMAKE_CURRENT_SOURCE_DIR}}/data\")\n",
        names_.solver());
  }

  static std::string source_list(const std::vector<ExportedFile>& sources) {
    std::string list;
    for (const ExportedFile& source : sources)
      if (!source.path.ends_with(".h")) list += fmt::format("  {}\n", source.path);
    if (!list.empty()) list.pop_back();
    return list;
  }

  // Large kernels are optimized less, as the backend does.
  static std::string levels(const std::vector<ExportedFile>& sources) {
    std::vector<std::size_t> sizes;
    std::vector<std::string> paths;
    for (const ExportedFile& source : sources) {
      if (!source.path.ends_with(".c")) continue;
      sizes.push_back(source.content.size());
      paths.push_back(source.path);
    }
    const std::vector<int> levels = optimization_levels({.highest_level = 3}, sizes);
    std::string text;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i] < 3) {
        text += fmt::format("set_source_files_properties({} PROPERTIES COMPILE_OPTIONS -O{})\n",
                            paths[i], levels[i]);
      }
    }
    return text;
  }

  std::string readme() const {
    std::string schedule;
    for (std::size_t at = 0; at < request_.schedule.size();) {
      const std::size_t end = std::min(request_.schedule.find('\n', at), request_.schedule.size());
      schedule += fmt::format("    {}\n", request_.schedule.substr(at, end - at));
      at = end + 1;
    }
    return filled("README.md", {{"NAME", names_.solver()},
                                {"SOLVER", std::string(to_string(request_.options.solver))},
                                {"LINEAR", request_.options.linear_solver},
                                {"PRECISION", std::string(to_string(request_.precision))},
                                {"SCHEDULE", schedule.empty() ? "    -- default\n" : schedule}});
  }

  std::string python() const {
    const auto extents = [&](const std::vector<DimId>& dims) {
      std::string text;
      for (const DimId dim : dims) text += fmt::format("\"{}\", ", names_.dim(dim));
      return text;
    };
    std::string arrays, data, options;
    const auto add_array = [&](const std::string& name, std::string_view type,
                               const std::vector<DimId>& dims, std::size_t channels) {
      data += fmt::format("        (\"{}\", ctypes.c_void_p),\n", name);
      arrays +=
          fmt::format("    \"{}\": (\"{}\", ({}), {}),\n", name, type, extents(dims), channels);
    };
    for (const DimId dim : bound_dims(program_))
      data += fmt::format("        (\"{}\", ctypes.c_int64),\n", names_.dim(dim));
    for (const FieldId id : bound_fields(program_)) {
      const Field& field = program_.field(id);
      if (is_param(program_, id)) {
        data += fmt::format("        (\"{}\", ctypes.c_double),\n", names_.field(id));
      } else {
        add_array(names_.field(id), numpy_name(memory(id)), field.dims,
                  static_cast<std::size_t>(field.channels));
      }
    }
    for (const MapId id : bound_maps(program_)) {
      const SparseMap& map = program_.maps[id.index()];
      add_array(names_.map(id), "int32", map.in, map.out.size());
    }
    for (const ExportedOption& option : exported_options(request_)) {
      options += fmt::format("        (\"{}\", ctypes.c_{}),\n", option.name,
                             option.is_integer ? "int" : "double");
    }
    for (std::string* list : {&arrays, &data, &options})
      if (!list->empty()) list->pop_back();
    return filled(
        "solver.py",
        {{"NAME", names_.solver()}, {"ARRAYS", arrays}, {"DATA", data}, {"OPTIONS", options}});
  }

  // In float, solves of many steps drift apart.
  std::string tolerance() const {
    return request_.precision == Precision::Double ? "1e-6" : "1e-3";
  }

  ScalarType memory(FieldId field) const {
    return memory_type(
        program_, field,
        request_.precision == Precision::Double ? Precision::Double : Precision::Float);
  }

  std::string arrays() const {
    std::string text;
    for (const FieldId field : bound_fields(program_)) {
      if (is_param(program_, field)) continue;
      const bool is_unknown = program_.field(field).kind == FieldKind::Unknown;
      text += fmt::format("  {}std::vector<{}> {} = folder.numbers<{}>(\"array {}\");\n",
                          is_unknown ? "" : "const ", names_.type(field), names_.field(field),
                          names_.type(field), program_.field(field).name);
    }
    for (const MapId map : bound_maps(program_)) {
      text += fmt::format(
          "  const std::vector<std::int32_t> {} = folder.numbers<std::int32_t>(\"map {}\");\n",
          names_.map(map), program_.maps[map.index()].name);
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  std::string fields() const {
    std::string text;
    for (const DimId dim : bound_dims(program_)) {
      text += fmt::format("  data.{} = static_cast<std::int64_t>(folder.number(\"extent {}\"));\n",
                          names_.dim(dim), program_.dims[dim.index()].name);
    }
    for (const FieldId field : bound_fields(program_)) {
      text += is_param(program_, field)
                  ? fmt::format("  data.{} = folder.number(\"param {}\");\n", names_.field(field),
                                program_.field(field).name)
                  : fmt::format("  data.{0} = {0}.data();\n", names_.field(field));
    }
    for (const MapId map : bound_maps(program_))
      text += fmt::format("  data.{0} = {0}.data();\n", names_.map(map));
    if (!text.empty()) text.pop_back();
    return text;
  }

  std::vector<ExportedFile> data_files() const {
    std::vector<ExportedFile> files;
    std::string index = "# What the data are: kind, name, value or file; then type and shape.\n";
    const Binding& binding = request_.binding;
    for (const DimId dim : bound_dims(program_)) {
      index += fmt::format("extent {} {}\n", program_.dims[dim.index()].name, binding.extent(dim));
    }
    const auto shape = [&](const std::vector<DimId>& dims) {
      std::string text;
      for (const DimId dim : dims) text += fmt::format(" {}", program_.dims[dim.index()].name);
      return text;
    };
    for (const FieldId id : bound_fields(program_)) {
      const Field& field = program_.field(id);
      if (is_param(program_, id)) {
        index += fmt::format("param {} {}\n", field.name, binding.param(id));
        continue;
      }
      const std::string file = names_.field(id) + ".bin";
      index += fmt::format("array {} {} {} {}{}\n", field.name, file, numpy_name(memory(id)),
                           field.channels, shape(field.dims));
      files.push_back({"data/" + file, values_of(binding.field(id), memory(id))});
    }
    for (const MapId id : bound_maps(program_)) {
      const SparseMap& map = program_.maps[id.index()];
      const std::string file = names_.map(id) + ".bin";
      index += fmt::format("map {} {} int32 from{} to{}\n", map.name, file, shape(map.in),
                           shape(map.out));
      files.push_back({"data/" + file, bytes_of(binding.map(id))});
    }
    if (request_.expected) {
      index +=
          fmt::format("expected initial_cost {}\nexpected final_cost {}\nexpected iterations {}\n",
                      request_.expected->initial_cost, request_.expected->final_cost,
                      request_.expected->num_iterations);
    }
    std::size_t bytes = 0;
    for (const ExportedFile& file : files) bytes += file.content.size();
    if (bytes > MostDataBytes) {
      files.clear();
      index += "# The files are not here: together they are too large.\n";
    }
    files.push_back({"data/index.txt", index});
    return files;
  }

  static std::string_view numpy_name(ScalarType type) {
    switch (type) {
      case ScalarType::Half: return "float16";
      case ScalarType::Float: return "float32";
      case ScalarType::Double: return "float64";
      case ScalarType::Int32: return "int32";
      case ScalarType::UInt8: return "uint8";
      case ScalarType::Working: break;
    }
    THALLO_UNREACHABLE();
  }

  static std::string values_of(const HostArray& array, ScalarType type) {
    return with_type(type, [&](auto to) {
      using To = decltype(to);
      std::vector<To> values;
      values.reserve(array.size());
      for (std::size_t i = 0; i < array.size(); ++i)
        values.push_back(static_cast<To>(array.value(i)));
      return bytes_of(values);
    });
  }

  const ExportRequest& request_;
  const KernelProgram& program_;
  const ExportNames& names_;
};

}  // namespace

std::vector<ExportedFile> project_files(const ExportRequest& request, const ExportNames& names,
                                        const std::vector<ExportedFile>& sources) {
  return Project(request, names).files(sources);
}

}  // namespace thallo
