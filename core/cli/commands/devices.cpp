// thallo devices: lists where programs can run on this machine, and why not elsewhere.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/backend/backend.h"
#include "core/cli/calibrate.h"
#include "core/cli/commands/command.h"
#include "core/cli/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DeviceFlags {
  bool json = false;
  bool calibrate = false;
};

struct BackendRow {
  std::string name;
  std::vector<DeviceInfo> devices;
  std::string absent_because;
  std::unique_ptr<Backend> backend;
};

std::vector<BackendRow> find_backends() {
  std::vector<BackendRow> rows;
  const auto add = [&](std::string name, Expected<std::unique_ptr<Backend>> backend) {
    BackendRow row{std::move(name), {}, "", nullptr};
    if (backend) {
      row.devices = (*backend)->devices();
      row.backend = std::move(*backend);
    } else {
      row.absent_because = backend.error().message();
    }
    rows.push_back(std::move(row));
  };
  add("cuda", make_cuda_backend());
  add("cpu", make_cpu_backend());
  add("interpreter", make_interpreter_backend());
  return rows;
}

std::string memory_text(const DeviceInfo& device) {
  if (device.memory_bytes == 0) return "";
  return fmt::format("{:.1f} GiB", static_cast<double>(device.memory_bytes) / (1 << 30));
}

Json row_json(const BackendRow& row, bool calibrate) {
  Json json = {{"backend", row.name}, {"available", row.backend != nullptr}};
  if (!row.backend) json["reason"] = row.absent_because;
  json["devices"] = Json::array();
  for (const DeviceInfo& device : row.devices) {
    json["devices"].push_back({{"name", device.name},
                               {"architecture", device.architecture},
                               {"memory_bytes", device.memory_bytes},
                               {"units", device.num_units}});
  }
  if (calibrate && row.backend) {
    for (const Measurement& m : cli::calibrate(*row.backend)) {
      json["measurements"].push_back(
          {{"name", m.name}, {"value", m.value}, {"unit", m.unit}, {"note", m.note}});
    }
  }
  return json;
}

ExitCode run_devices(const DeviceFlags& flags) {
  const auto rows = find_backends();
  if (flags.json) {
    Json json = Json::array();
    for (const BackendRow& row : rows) json.push_back(row_json(row, flags.calibrate));
    fmt::print("{}\n", json.dump(2));
    return ExitCode::Ok;
  }
  Table table({{"backend", Table::Align::Left},
               {"device", Table::Align::Left},
               {"architecture", Table::Align::Left},
               {"units"},
               {"memory"}});
  for (const BackendRow& row : rows) {
    for (const DeviceInfo& device : row.devices) {
      table.add({row.name, device.name, device.architecture, fmt::format("{}", device.num_units),
                 memory_text(device)});
    }
  }
  fmt::print("{}", table.text());
  for (const BackendRow& row : rows) {
    if (!row.backend) fmt::print("{} is not available: {}\n", row.name, row.absent_because);
  }
  if (flags.calibrate) {
    fmt::print("\n");
    Table measured({{"backend", Table::Align::Left},
                    {"", Table::Align::Left},
                    {"measured"},
                    {"", Table::Align::Left},
                    {"", Table::Align::Left}});
    for (const BackendRow& row : rows) {
      if (!row.backend) continue;
      for (const Measurement& m : calibrate(*row.backend)) {
        measured.add({row.name, m.name, fmt::format("{:.4g}", m.value), m.unit, m.note});
      }
    }
    fmt::print("{}", measured.text());
  }
  return ExitCode::Ok;
}

}  // namespace

Command add_devices_command(CLI::App& app, Session&) {
  auto flags = std::make_shared<DeviceFlags>();
  CLI::App* command = app.add_subcommand("devices", "list where programs can run, and why not");
  command->add_flag("--calibrate", flags->calibrate,
                    "measure the memory bandwidth and the cost of a launch");
  command->add_flag("--json", flags->json, "a JSON list of backends");
  return {command, [flags] { return run_devices(*flags); }};
}

}  // namespace thallo::cli
