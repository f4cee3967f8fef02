#include "core/cli/output/report_html.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/scratch_folder.h"
#include "core/cli/output/dag_output.h"
#include "core/cli/output/html_text.h"
#include "core/energy/print.h"
#include "core/explore/dag/dot.h"
#include "core/explore/report/figures.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/plugin/loader.h"

namespace thallo::cli {
namespace {

// The picture that Graphviz makes of a graph, or why there is none.
Expected<std::string> drawn(const std::string& graph) {
  THALLO_TRY(const auto folder, ScratchFolder::make());
  const auto input = folder.path() / "graph.dot";
  THALLO_CHECK(write_file(input, graph));
  const int status =
      folder.run({"dot", "-Tsvg", "-o", (folder.path() / "graph.svg").string(), input.string()},
                 folder.path() / "messages");
  if (status != 0) return fail("the program dot of Graphviz, which draws graphs, was not found");
  THALLO_TRY(const auto svg, read_file(folder.path() / "graph.svg"));
  return svg.substr(svg.find("<svg"));  // without what only files have
}

std::string figure(std::string_view title, const std::string& svg, const char* ground = "") {
  return fmt::format("<figure{}><figcaption>{}</figcaption>\n{}</figure>\n", ground,
                     html_escaped(title), svg);
}

std::string folded(std::string_view title, std::string_view text) {
  return fmt::format("<details><summary>{}</summary>\n<pre>{}</pre></details>\n",
                     html_escaped(title), html_escaped(text));
}

std::string graph_of(const ExploredProblem& problem, const Plan& plan, const DeviceSpec& spec) {
  const Energy& energy = problem.file.energy;
  const auto view = dag_view(energy, plan, {}, problem.auto_target(spec));
  const auto svg = view ? drawn(to_dot(*view)) : Expected<std::string>(fail(view.error()));
  if (!svg) return fmt::format("<p>There is no graph: {}.</p>\n", html_escaped(svg.error().what));
  return figure("What is made of what, stored (filled) or computed where it is read", *svg,
                " class=\"light\"");
}

std::string kernels_of(const ExploredProblem& problem, const Plan& plan,
                       const std::string& backend) {
  const GeneratedProgram generated =
      generate(make_program(problem.file.energy, plan, problem.program));
  const EmitOptions options{.dialect = backend == "cuda" ? Dialect::Cuda : Dialect::C,
                            .precision = problem.program.precision,
                            .block_size = problem.compile.block_size};
  std::string html;
  for (const KernelCode& code : generated.codes) {
    html += folded(code.label.empty() ? code.role : code.label,
                   readable_text(generated.program, code, options).functions);
  }
  return html;
}

// The schedule that was measured to be the fastest.
std::string best_section(const ReportPage& page, const ExploredProblem& problem) {
  const DeviceReport& device = page.device;
  if (device.fastest.empty()) return "";
  const Candidate& best = device.candidates[device.fastest.front()];
  std::string html = "<h2>The fastest schedule</h2>\n";
  html += fmt::format("<pre>{}</pre>\n",
                      html_escaped(best.text.empty() ? "-- the default schedule" : best.text));
  const auto schedule = problem.read(best.text);
  const auto plan = schedule ? problem.plan_of(*schedule) : Expected<Plan>(fail(schedule.error()));
  if (!plan) {
    return html + fmt::format("<p>It is none of the problem as it is today: {}.</p>\n",
                              html_escaped(plan.error().what));
  }
  const DeviceSpec spec = device.spec.value_or(DeviceSpec());
  return html + graph_of(problem, *plan, spec) + "<h3>Its kernels</h3>\n" +
         kernels_of(problem, *plan, device.device.backend);
}

std::string page_body(const ReportPage& page, const ExploredProblem& problem) {
  const std::string text = report_markdown(page, {});
  // Pictures come after the marks.
  const std::size_t after_marks = text.find("\n## ", text.find("\n## ") + 1);
  std::string html = html_of_markdown(std::string_view(text).substr(0, after_marks));
  html += "<div class=\"figures\">\n";
  for (const Figure& its : figures_of(page.device))
    html += figure(its.title, its.picture.file(plot::Theme::FollowsReader));
  html += "</div>\n";
  if (after_marks != std::string::npos)
    html += html_of_markdown(std::string_view(text).substr(after_marks));
  return html + best_section(page, problem);
}

}  // namespace

std::string report_html(const std::vector<ReportPage>& pages, const ExploredProblem& problem,
                        const std::string& command) {
  std::string body;
  for (const ReportPage& page : pages) body += page_body(page, problem);
  body += "<h2>The energy</h2>\n" + folded("What is minimized", to_string(problem.file.energy));
  body += fmt::format("<h2>Made by</h2>\n<p>thallo {}</p>\n<pre>{}</pre>\n",
                      html_escaped(core_build_id()), html_escaped(command));
  return html_page(pages.empty() ? "Thallo" : pages.front().report.problem.title, body);
}

}  // namespace thallo::cli
