#include "core/cli/output/report_output.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/bytes_text.h"
#include "core/cli/output/number_text.h"
#include "core/cli/output/table.h"

namespace thallo::cli {
namespace {

// Of a site; the fastest come first.
constexpr std::size_t MostChoicesShown = 6;

// Prepares a text for a table cell: its first line, without characters that would end the cell.
std::string cell_text(const std::string& text) {
  std::string cell;
  for (const char c : text.substr(0, text.find('\n'))) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

std::string name_of(const Candidate& candidate) {
  return candidate.index.value_or(candidate.hash.substr(0, 12));
}

const Candidate* find_candidate(const DeviceReport& device, const std::string& hash) {
  for (const Candidate& candidate : device.candidates)
    if (candidate.hash == hash) return &candidate;
  return nullptr;
}

std::string names_of(const DeviceReport& device, const std::string& hash) {
  std::vector<std::string> names;
  for (const Mark& mark : device.marks)
    if (mark.hash == hash) names.push_back(mark.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Says how many kernels the schedules consist of.
std::string kernels_text(const DeviceReport& device) {
  std::string text = fmt::format("kernels compiled for them: {}", device.num_kernels);
  if (device.compile_seconds) text += fmt::format(", in {}", time_text(device.compile_seconds));
  if (device.most_registers) {
    text += fmt::format("; most registers: {}; spilling: {}", *device.most_registers,
                        device.num_spilling);
  }
  return text;
}

std::string head(const ReportPage& page) {
  const DeviceReport& device = page.device;
  std::string text =
      fmt::format("# {}, {}\n\n", page.report.problem.name, page.report.problem.title);
  text += fmt::format("- options: {}\n", page.report.problem.options);
  text += fmt::format("- signature: {}\n", page.report.problem.signature);
  text += fmt::format("- device: {} ({})\n", device.device.name, device.device.backend);
  std::vector<std::string> others;
  for (const DeviceReport& other : page.report.devices)
    if (&other != &device) others.push_back(other.device.name);
  if (!others.empty())
    text += fmt::format("- also measured, reported apart: {}\n", fmt::join(others, ", "));
  for (const SpaceRecord& space : page.report.spaces) {
    text += fmt::format("- space: {}{}\n", space.id,
                        space.description.empty() ? "" : ", " + space.description);
  }
  text += fmt::format(
      "- schedules: {}; with a time: {}, {}\n", device.candidates.size(), device.num_timed,
      device.kind == ResultKind::Composed ? "composed of those of their steps" : "of whole solves");
  text += fmt::format("- different steps that were timed for them: {}{}\n", device.num_steps,
                      device.num_failed_steps > 0
                          ? fmt::format("; not possible: {}", device.num_failed_steps)
                          : "");
  text += fmt::format("- {}\n", kernels_text(device));
  return text + "\nTimes are of a nonlinear iteration with its linear iterations.\n";
}

std::string marks_section(const DeviceReport& device) {
  std::vector<Table::Column> columns = {left("mark"), left("schedule"), "measured", "off the best"};
  for (const ModelAccuracy& model : device.models) columns.push_back(model.model);
  Table table(columns);
  for (const Mark& mark : device.marks) {
    const Candidate* candidate = find_candidate(device, mark.hash);
    std::vector<std::string> cells = {mark.name,
                                      candidate ? name_of(*candidate) : mark.hash.substr(0, 12),
                                      time_text(mark.seconds), percent_text(mark.percent_off)};
    for (const ModelAccuracy& model : device.models)
      cells.push_back(time_text(candidate ? candidate->predicted(model.model) : std::nullopt));
    table.add(cells);
  }
  return "\n## Marks\n\n" + table.markdown();
}

std::string models_section(const DeviceReport& device) {
  std::string text = "\n## Cost models\n\n";
  Table table(
      {left("model"), "compared", "Spearman's rho", "median error", "its first, off the best"});
  for (const ModelAccuracy& model : device.models) {
    table.add({model.model, fmt::format("{}", model.num_compared),
               model.rho ? fmt::format("{:.3f}", *model.rho) : "-",
               fmt::format("{:.1f} %", 100 * model.median_error),
               percent_text(model.first_percent_off)});
  }
  if (!table.empty()) text += table.markdown();
  if (device.spec) {
    text += fmt::format(
        "\n`estimate` is the {} model without lowering, with the spec of {}, "
        "of {} of {} schedules.\n",
        device.model, device.spec->name, device.num_estimated, device.candidates.size());
  } else {
    text +=
        "\nThere are no estimates: no spec of the device is kept here, and none was named by "
        "--device-spec.\n";
  }
  return text;
}

std::string effects_section(const DeviceReport& device) {
  Table table({left("site"), "explained", "alone", "schedules",
               left("median of each choice, and by how many it was made")});
  std::size_t num_others = 0;
  bool is_sampled = false;
  for (const SiteEffect& effect : device.effects) {
    if (!effect.is_significant()) {
      ++num_others;
      continue;
    }
    std::vector<std::string> choices;
    for (std::size_t k = 0; k < effect.choices.size() && k < MostChoicesShown; ++k) {
      if (effect.num_made[k] == 0) continue;
      choices.push_back(fmt::format("{} {} ({})", effect.choices[k], time_text(effect.medians[k]),
                                    effect.num_made[k]));
    }
    if (effect.choices.size() > MostChoicesShown) {
      choices.push_back(fmt::format("{} others", effect.choices.size() - MostChoicesShown));
    }
    std::string site = effect.site;
    if (!effect.together.empty())
      site += effect.together.size() == 1
                  ? fmt::format(" (with {})", effect.together.front())
                  : fmt::format(" (with {} and {} more)", effect.together.front(),
                                effect.together.size() - 1);
    is_sampled = is_sampled || effect.num_compared < effect.num_timed;
    table.add({cell_text(site), fmt::format("{:.1f} %", 100 * effect.explained),
               fmt::format("{:.1f} %", 100 * effect.alone), fmt::to_string(effect.num_timed),
               cell_text(fmt::format("{}", fmt::join(choices, ", ")))});
  }
  if (device.effects.empty()) return "";
  std::string text = "\n## What a choice buys\n\n";
  if (table.empty()) return text + "No choice makes a difference that shows.\n";
  text +=
      "The share of the variance of log time that goes with the choice at a site and with no other "
      "that every schedule\nmakes (significant by a partial F test), and alone, whatever differs "
      "with it (omega squared). Sites after `with`\ndiffer exactly where this one does.\n\n" +
      table.markdown();
  if (is_sampled) text += "\nOf these, every n-th schedule was compared, 4096 at most.\n";
  if (num_others > 0)
    text +=
        fmt::format("\nAt {} other sites the choice makes no difference that shows.\n", num_others);
  return text;
}

std::string composition_section(const DeviceReport& device) {
  const Composition& composition = device.composition;
  if (composition.pairs.empty()) return "";
  Table table({left("schedule"), "composed", "whole solves", "error", left("")});
  for (const Composition::Pair& pair : composition.pairs) {
    table.add({name_of(*find_candidate(device, pair.hash)), time_text(pair.composed),
               time_text(pair.end_to_end), percent_text(100 * pair.error()),
               names_of(device, pair.hash)});
  }
  return fmt::format(
      "\n## Composed times against whole solves\n\nOf {} schedules the median error "
      "is {:.1f} %, the worst {:+.1f} %.\n\n{}",
      composition.pairs.size(), 100 * composition.median_error, 100 * composition.worst_error,
      table.markdown());
}

std::string slowest_section(const DeviceReport& device) {
  const SlowestSteps& slowest = device.slowest;
  if (slowest.steps.empty()) return "";
  const auto integer_text = [](const std::optional<std::int64_t>& value) {
    return value ? fmt::to_string(*value) : "-";
  };
  Table table({left("step"), "registers", "spilled", "runs", "caches hot", "evicted", "predicted"});
  for (const StepCost& step : slowest.steps) {
    table.add({cell_text(step.label), integer_text(step.registers), integer_text(step.spill_bytes),
               fmt::format("{:.4g}", step.runs), time_text(step.hot), time_text(step.evicted),
               time_text(step.predicted)});
  }
  return fmt::format(
      "\n## Where the time goes\n\nThe slowest steps of {}{}: a run's time, measured and as the "
      "model predicts it, and the runs in a nonlinear iteration.\n\n{}",
      name_of(*find_candidate(device, slowest.hash)),
      slowest.num_others > 0 ? fmt::format(", without {} others", slowest.num_others) : "",
      table.markdown());
}

std::string fastest_section(const DeviceReport& device) {
  if (device.fastest.empty()) return "";
  std::string text = fmt::format("\n## The fastest {}\n", device.fastest.size());
  std::size_t rank = 0;
  for (const std::size_t i : device.fastest) {
    const Candidate& candidate = device.candidates[i];
    const std::string names = names_of(device, candidate.hash);
    text += fmt::format("\n{}. {}, {}{}, {}\n\n", ++rank, name_of(candidate),
                        time_text(measured_seconds(candidate, device.kind)),
                        names.empty() ? "" : " (" + names + ")",
                        bytes_text(static_cast<double>(candidate.bytes)));
    if (candidate.text.empty()) text += "   the default schedule: no directive\n";
    if (!candidate.text.empty()) text += "   ```lua\n";
    for (std::size_t at = 0; at < candidate.text.size();) {
      const std::size_t end = candidate.text.find('\n', at);
      text += "   " + candidate.text.substr(at, end - at) + "\n";
      at = end == std::string::npos ? end : end + 1;
    }
    if (!candidate.text.empty()) text += "   ```\n";
  }
  return text;
}

std::string failures_section(const DeviceReport& device) {
  if (device.failures.empty()) return "";
  Table table({"schedules", left("status"), left("of"), left("reason, of one of them")});
  for (const FailureGroup& group : device.failures) {
    table.add({fmt::format("{}", group.count), std::string(to_string(group.status)),
               group.kind == ResultKind::Composed ? "steps" : "whole solves",
               cell_text(group.reason)});
  }
  return "\n## Not measured\n\n" + table.markdown();
}

std::string convergence_section(const DeviceReport& device) {
  if (device.traces.empty()) return "";
  Table table({left("schedule"), "last cost", "to 1 %", "to 0.1 %", left("")});
  for (const CostTrace& trace : device.traces) {
    table.add({name_of(*find_candidate(device, trace.hash)),
               fmt::format("{:.6g}", trace.points.back().cost), time_text(trace.to_one_percent),
               time_text(trace.to_one_permille), names_of(device, trace.hash)});
  }
  return fmt::format(
      "\n## Cost against time\n\nThe times of whole solves until the cost is 1 % and "
      "0.1 % above the best known, {:.6g}; - where it never is.\n\n{}",
      *device.best_cost, table.markdown());
}

std::string steps_section(const std::vector<ScheduleStep>& steps) {
  if (steps.empty()) return "";
  Table table({left("published-default, and then"), "measured", "estimated", "times as fast"});
  for (const ScheduleStep& step : steps) {
    table.add({cell_text(fmt::format("`{}`", fmt::join(step.change, "; "))),
               time_text(step.measured), time_text(step.predicted),
               step.factor
                   ? fmt::format("{}{:.2f}", step.is_factor_measured ? "" : "~", *step.factor)
                   : "-"});
  }
  return "\n## One directive after the other\n\nFactors are over published-default, of measured "
         "times; ~ of estimated ones.\n\n" +
         table.markdown();
}

}  // namespace

std::string report_markdown(const ReportPage& page, const std::vector<LinkedFigure>& figures) {
  std::string text = head(page) + marks_section(page.device) + steps_section(page.steps) +
                     effects_section(page.device) + models_section(page.device) +
                     composition_section(page.device) + convergence_section(page.device) +
                     fastest_section(page.device) + slowest_section(page.device) +
                     failures_section(page.device);
  if (!figures.empty()) text += "\n## Pictures\n";
  for (const LinkedFigure& figure : figures)
    text += fmt::format("\n![{}]({})\n", figure.title, figure.file);
  return text;
}

}  // namespace thallo::cli
