// What is found in published energies, and that storing it computes what they say.
#include "core/energy/found/intermediates.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/diff/displacement.h"
#include "core/energy/found/shown_names.h"
#include "core/energy/print.h"
#include "core/explore/verify/conformance.h"
#include "core/frontend/schedule_text.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/language/load_energy.h"
#include "core/schedule/schedule_reader.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::HasSubstr, testing::IsSupersetOf;

// Of the one whose name this is.
std::vector<std::string> values_of(const FoundIntermediates& found, const std::string& name) {
  const auto one = std::ranges::find(found.all(), name, &FoundIntermediate::name);
  if (one == found.all().end()) return {};
  const ExprPrinter printer(found.graph(), names_of(found.energy()));
  std::vector<std::string> texts;
  for (const ExprId value : one->values) texts.push_back(printer.text(value));
  return texts;
}

Schedule read(const Energy& sited, const std::string& text) {
  const auto statements = load_schedule_text(text, "found.sched");
  if (!statements) throw UserError(statements.error());
  const auto schedule = read_schedule(sited, *statements, loaded_constructs());
  if (!schedule) throw UserError(schedule.error());
  return *schedule;
}

// Of a schedule, on the interpreter, at a point beside the start.
void expect_conformance(const test::Made& made, const std::string& text) {
  const Energy sited = with_found_intermediates(made.energy);
  const Schedule schedule = read(sited, text);
  EXPECT_EQ(schedule.text(loaded_constructs()), text) << "it is printed as it is read";
  const auto plan = make_plan(sited, schedule, loaded_constructs());
  ASSERT_TRUE(plan) << plan.error().message();
  KernelProgram program = make_program(
      sited, *plan, {SolverKind::LevenbergMarquardt, block_jacobi_preconditioner(), pcg_solver()});
  const std::string stored = "values." + text.substr(0, text.find(':'));
  EXPECT_TRUE(std::ranges::any_of(program.buffers, [&](const BufferDecl& buffer) {
    return buffer.name == stored;
  })) << stored;
  auto executable = make_interpreter_backend().value()->compile(generate(std::move(program)),
                                                                {.precision = Precision::Double});
  ASSERT_TRUE(executable) << executable.error().message();
  const Binding binding = displaced(made.energy, made.instance.binding, 3);
  const auto errors = OperatorTruth(made.energy, binding).errors_of(**executable, 3);
  EXPECT_LT(errors.worst(), 1e-10) << errors.text();
}

TEST(FoundInPublished, ImageWarpingTurnsByOneAngleAndShapeFromShadingNormalizesOnce) {
  test::Made made = test::make("image_warping", {{"size", 16}});
  const auto found = FoundIntermediates::in(made.energy);
  EXPECT_THAT(values_of(*found, "%0353"), IsSupersetOf({"cos(Angle(w, h))", "sin(Angle(w, h))"}));
  expect_conformance(made, "%0353:materialize{value=true, gradient=true}\n");
  expect_conformance(made, "%0353:materialize{value=true, gradient=false}\n");
  made = test::make("shape_from_shading", {{"size", 16}});
  expect_conformance(made,
                     "%6ee9:materialize{value=true, gradient=true}\n"
                     "B_I:materialize{value=true, gradient=true}\n"
                     "%6bdd:materialize{value=true, gradient=true}\n");
}

TEST(FoundInPublished, MeshDeformationTurnsByVertex) {
  const test::Made made = test::make("arap_mesh_deformation", {{"subdivisions", 0}, {"detail", 1}});
  const auto found = FoundIntermediates::in(made.energy);
  ASSERT_EQ(found->all().size(), 1u);
  const std::string name = found->all()[0].name;
  EXPECT_EQ(name, "%4a43");
  EXPECT_EQ(found->all()[0].positions.size(), 1u) << "V0(e)";
  EXPECT_EQ(found->all()[0].values.size(), 9u) << "the entries of a rotation";
  expect_conformance(made, name +
                               ":materialize{value=true, gradient=true}\n"
                               "r.reg:strategy(\"Jt[Jp]\")\n");
}

std::string shown_name(const std::string& problem, const Options& options,
                       const std::string& hash) {
  const test::Made made = test::make(problem, options);
  const auto names = shown_names(*FoundIntermediates::in(made.energy));
  const auto found = names.find(hash);
  return found == names.end() ? "" : found->second;
}

TEST(ShownInPublished, NamesOfAllProblemsAreUniqueAndSayWhatIsComputed) {
  EXPECT_EQ(shown_name("image_warping", {{"size", 16}}, "%0353"), "sin, cos(Angle)");
  EXPECT_EQ(shown_name("arap_mesh_deformation", {{"subdivisions", 0}, {"detail", 1}}, "%4a43"),
            "R(Angle)");
  EXPECT_EQ(shown_name("shape_from_shading", {{"size", 16}}, "%6bdd"), "f(X)");
  // A name is short but for what makes it unique, and stands for nothing else.
  std::size_t num_names = 0;
  for (const test::SmallInstance& small : test::small_instances()) {
    const test::Made made = test::make(small.problem, small.options);
    const auto found = FoundIntermediates::in(made.energy);
    const auto names = shown_names(*found);
    std::set<std::string> seen;
    for (const Field& field : made.energy.fields()) seen.insert(field.name);
    for (const FoundIntermediate& one : found->all()) {
      EXPECT_EQ(names.contains(one.name), one.name.starts_with('%')) << one.name;
    }
    for (const auto& [hash, name] : names) {
      EXPECT_TRUE(seen.insert(name).second) << small.problem << ": " << hash << " is " << name;
      EXPECT_LE(name.size(), 60u) << name;
      ++num_names;
    }
  }
  EXPECT_GT(num_names, 10u);
}

TEST(FoundInTexts, WhatMayBeOutsideIsRefusedWithTheReason) {
  const auto file = load_energy_text(
      "local W = Dims('W')\n"
      "Inputs { X = Unknown(float, {W}) }\n"
      "local w = W()\n"
      "Residuals { r = cos(X(w)) - cos(X(w + 1)) }\n",
      "border.lua");
  ASSERT_TRUE(file) << file.error().message();
  const Energy sited = with_found_intermediates(file->energy);
  const auto statements =
      load_schedule_text(sited.found()->all().at(0).name + ":materialize()", "border.sched");
  const auto schedule = read_schedule(sited, *statements, loaded_constructs());
  ASSERT_FALSE(schedule);
  EXPECT_THAT(schedule.error().message(), HasSubstr("border.sched:1"));
  EXPECT_THAT(schedule.error().message(), HasSubstr("is no site: it is read at (w), (w + 1)"));
}

}  // namespace
}  // namespace thallo
