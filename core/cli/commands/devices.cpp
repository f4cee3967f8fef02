// thallo devices: lists where programs can run on this machine, and why other backends cannot.
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/backend/backend.h"
#include "core/backend/choose_device_spec.h"
#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/base/overloaded.h"
#include "core/base/quantity_text.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/run_options.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/cost/device/spec_fields.h"
#include "core/cost/device/spec_file.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DeviceFlags {
  std::string backend;  // empty means all
  int device = 0;
  bool json = false;
  bool spec = false;
  bool calibrate = false;
  std::string spec_file;

  bool wants_specs() const { return spec || calibrate; }
};

struct DeviceRow {
  DeviceInfo info;
  std::optional<DeviceSpec> spec;  // present if requested
};
struct BackendRow {
  std::string name;
  std::string absent_because;  // empty if the device is present
  std::vector<DeviceRow> devices;
};

DeviceSpec wanted_spec(Backend& backend, const DeviceFlags& flags) {
  auto spec = flags.calibrate ? calibrate_and_keep(backend) : measured_device_spec(backend);
  if (!spec) throw DeviceError("calibrate " + std::string(backend.name()), spec.error().message());
  return *std::move(spec);
}

// Calibrating a device takes about a second.
std::vector<BackendRow> all_backends(Session& session, const DeviceFlags& flags) {
  std::vector<BackendRow> rows;
  for (const std::string& name : backend_names()) {
    BackendRow row{name, "", {}};
    if (auto backend = session.open_backend(name)) {
      for (DeviceInfo& info : (*backend)->devices()) row.devices.push_back({std::move(info), {}});
    } else {
      row.absent_because = backend.error().message();
    }
    for (std::size_t i = 0; flags.wants_specs() && i < row.devices.size(); ++i)
      row.devices[i].spec = wanted_spec(*session.backend(name, static_cast<int>(i)), flags);
    rows.push_back(std::move(row));
  }
  return rows;
}

BackendRow one_device(Session& session, const DeviceFlags& flags) {
  const auto backend =
      session.backend(flags.backend.empty() ? "auto" : flags.backend, flags.device);
  BackendRow row{std::string(backend->name()), "", {{backend->device(), {}}}};
  if (flags.wants_specs()) row.devices.front().spec = wanted_spec(*backend, flags);
  return row;
}

std::string memory_text(const DeviceInfo& device) {
  return device.memory_bytes == 0 ? "" : bytes_text(static_cast<double>(device.memory_bytes));
}

Json spec_json(const DeviceSpec& spec) {
  Json json;
  for (const SpecField& field : spec_fields()) {
    const std::string key(field.name);
    std::visit(Overloaded{[&](RateCurve DeviceSpec::*curve) {
                            for (const auto& [size, rate] : (spec.*curve).points())
                              json[key].push_back({size, rate});
                          },
                          [&](auto member) { json[key] = spec.*member; }},
               field.member);
  }
  return json;
}

Json row_json(const BackendRow& row) {
  Json json = {{"backend", row.name}, {"available", row.absent_because.empty()}};
  if (!row.absent_because.empty()) json["reason"] = row.absent_because;
  json["devices"] = Json::array();
  for (const DeviceRow& device : row.devices) {
    Json entry = {{"name", device.info.name},
                  {"architecture", device.info.architecture},
                  {"memory_bytes", device.info.memory_bytes},
                  {"units", device.info.num_units}};
    if (device.spec) entry["spec"] = spec_json(*device.spec);
    json["devices"].push_back(std::move(entry));
  }
  return json;
}

void print_devices(const std::vector<BackendRow>& rows) {
  Table table({left("backend"), left("device"), left("architecture"), "units", "memory"});
  for (const BackendRow& row : rows) {
    for (const auto& [info, spec] : row.devices) {
      table.add({row.name, info.name, info.architecture, fmt::format("{}", info.num_units),
                 memory_text(info)});
    }
  }
  fmt::print("{}", table.text());
  for (const BackendRow& row : rows) {
    if (!row.absent_because.empty())
      fmt::print("{} is not available: {}\n", row.name, row.absent_because);
  }
}

std::string value_text(double value, std::string_view unit) {
  if (unit.empty()) return fmt::format("{}", value);
  return unit == "B" ? bytes_text(value) : quantity_text(value, unit);
}

void print_spec(const DeviceSpec& spec) {
  Table table({left(""), "", left("")});
  for (const SpecField& field : spec_fields()) {
    const std::string name(field.name);
    const std::string doc(field.doc);
    std::visit(Overloaded{[](std::string DeviceSpec::*) {},
                          [&](double DeviceSpec::*number) {
                            table.add({name, value_text(spec.*number, field.unit), doc});
                          },
                          [&](RateCurve DeviceSpec::*curve) {
                            std::string first = doc + ": ";
                            for (const auto& [size, rate] : (spec.*curve).points()) {
                              table.add({name, value_text(rate, field.unit),
                                         fmt::format("{}{:.0f}", first, size)});
                              first.clear();
                            }
                          }},
               field.member);
  }
  fmt::print("\n{} for {}, {}\n{}", spec.name, spec.backend, spec.source, table.text());
}

ExitCode run_devices(Session& session, const DeviceFlags& flags) {
  if (!flags.spec_file.empty() && !flags.wants_specs())
    throw UserError("--write writes what --spec shows or --calibrate measures; give one of them");
  const bool is_one = !flags.backend.empty() || flags.device > 0 || !flags.spec_file.empty();
  const std::vector<BackendRow> rows =
      is_one ? std::vector{one_device(session, flags)} : all_backends(session, flags);
  if (!flags.spec_file.empty())
    require(write_device_spec(*rows.front().devices.front().spec, flags.spec_file));
  if (flags.json) {
    Json json = Json::array();
    for (const BackendRow& row : rows) json.push_back(row_json(row));
    print_json(json);
    return ExitCode::Ok;
  }
  print_devices(rows);
  for (const BackendRow& row : rows) {
    for (const DeviceRow& device : row.devices) {
      if (device.spec) print_spec(*device.spec);
    }
  }
  return ExitCode::Ok;
}

}  // namespace

Command add_devices_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<DeviceFlags>();
  CLI::App* command = app.add_subcommand("devices", "list where programs can run, and why not");
  add_backend_options(*command, flags->backend, flags->device, "Which");
  command->get_option("--backend")
      ->description(
          "auto, cpu, cuda or interpreter: its device --device alone [all devices of all]");
  command->add_flag(
      "--spec", flags->spec,
      "what each device reaches, as it was measured last; measured now if it never was");
  command->add_flag("--calibrate", flags->calibrate,
                    "measure what each device reaches, in about a second, and keep it");
  add_value(*command, "--write", flags->spec_file, "FILE",
            "a file for what it reaches; without --backend, on that which auto takes");
  command->add_flag("--json", flags->json, "a JSON list of backends");
  return {command, [&session, flags] { return run_devices(session, *flags); }};
}

}  // namespace thallo::cli
