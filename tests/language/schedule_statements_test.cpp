// Schedule statements in energy texts: what is recorded of them, and what they return.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/base/log.h"
#include "tests/language/texts.h"

namespace thallo {
namespace {

using test::message_of;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

// Ten lines before the statements.
const std::string StatementInputs = R"(local W, H, N, E, K = Dims("W", "H", "N", "E", "K")
Inputs {
  X = Unknown(float, {W, H}), P = Unknown(float3, {N}), A = Array(float, {W, H}),
  T = Array(float, {K}), V0 = Sparse({E}, {N}), V1 = Sparse({E}, {N}),
}
local x, y, n, e, k = W("x"), H("y"), N(), E(), K()
local r = Residuals {
  fit = X(x, y) - A(x, y), reg = {X(x, y) - X(x + 1, y), X(x, y) - X(x, y + 1)},
  edge = Vector(P(V0(e)) - P(V1(e))), conv = Sum({k}, T(k) * X(x + k, y)),
}
)";

EnergyFile load_with(const std::string& statements) {
  Expected<EnergyFile> file = load_energy_text(StatementInputs + statements, "test.lua");
  if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
  return std::move(*file);
}

std::vector<std::string> recorded(const std::string& statements) {
  std::vector<std::string> texts;
  for (const ScheduleStatement& statement : load_with(statements).schedule)
    texts.push_back(statement.text());
  return texts;
}

TEST(ScheduleStatements, HaveTheirPlacesAndSubjects) {
  const EnergyFile file = load_with("r.fit.JtF:compute_at_output(true)\n\nr.fit:reorder{y, x}");
  ASSERT_EQ(file.schedule.size(), 2U);
  EXPECT_EQ(file.schedule[0].where.text(), "test.lua:11:1");
  EXPECT_EQ(file.schedule[1].where.text(), "test.lua:13:1");
  EXPECT_THAT(recorded(R"(
    r.reg.J:set_materialize(true)
    r.reg.JtJ:materialize()
    r.reg.Jp:set_materialize(false)
    r.reg.JtF:compute_at_output(true)
    r.reg.JtJp:compute_at_output(true)
    r.reg.Jt:compute_at_output(true)
    r.reg:materializeJtJ()
    r.reg:clear_reorder()
    r:full_split(r.reg)
    r.reg_1.J:set_sparse(true))"),
              ElementsAre("r.reg.J:set_materialize(true)", "r.reg.JtJ:materialize()",
                          "r.reg.Jp:set_materialize(false)", "r.reg.JtF:compute_at_output(true)",
                          "r.reg.JtJp:compute_at_output(true)", "r.reg.Jt:compute_at_output(true)",
                          "r.reg:materializeJtJ()", "r.reg:clear_reorder()", "r:full_split(r.reg)",
                          "r.reg_1.J:set_sparse(true)"));
  EXPECT_THAT(recorded(R"(r["%4a43"]:materialize{value=true})"),
              ElementsAre("%4a43:materialize{value=true}"));
}

TEST(ScheduleStatements, ArgumentsAreListsOrNamesOfTheirKind) {
  EXPECT_THAT(
      recorded(R"(
    r.fit:reorder{y, x}
    r.fit:reorder(y, x)
    r.fit:reorder{n}
    r.fit:strategy("[JtJ]p")
    r.fit:block{threads=2 * 64, role="jtf"}
    r.reg:split_merge{[2]="new"}
    r.fit:tune(0.5, {r.reg, r.reg.J}, {key=false}))"),
      ElementsAre("r.fit:reorder(y, x)", "r.fit:reorder(y, x)", "r.fit:reorder(n)",
                  "r.fit:strategy(\"[JtJ]p\")", "r.fit:block{role=\"jtf\", threads=128}",
                  "r.reg:split_merge{[2]=\"new\"}", "r.fit:tune{0.5, r.reg, r.reg.J, key=false}"));
  const EnergyFile file = load_with("r.fit:m(true, 4 / 2, 0.5, 'a', r.reg, y)");
  const auto& arguments = file.schedule[0].arguments;
  ASSERT_EQ(arguments.size(), 6U);
  EXPECT_EQ(std::get<bool>(arguments[0].value), true);
  EXPECT_EQ(std::get<std::int64_t>(arguments[1].value), 2);
  EXPECT_EQ(std::get<double>(arguments[2].value), 0.5);
  EXPECT_EQ(std::get<std::string>(arguments[3].value), "a");
  EXPECT_EQ(std::get<ScheduleName>(arguments[4].value).text(), "r.reg");
  EXPECT_EQ(std::get<ScheduleDomain>(arguments[5].value).id,
            file.energy.groups().front().domains[1]);  // conv, over (x, y)
}

TEST(ScheduleStatements, ChainAndEndAndSayNothingNewOfFaultyGroups) {
  EXPECT_THAT(recorded("r.fit:compute_at_output(true):reorder{y, x}:block{role='jtf', threads=64}"),
              ElementsAre("r.fit:compute_at_output(true)", "r.fit:reorder(y, x)",
                          "r.fit:block{role=\"jtf\", threads=64}"));
  EXPECT_THAT(
      recorded("r:full_split(r.reg):merge(r.fit, r.reg_1):reorder{y}"),
      ElementsAre("r:full_split(r.reg)", "r:merge(r.fit, r.reg_1)", "r.fit_reg_1:reorder(y)"));
  EXPECT_EQ(message_of("local N = Dims('N') Inputs { X = Unknown(float, {N}) }\n"
                       "local r = Residuals { fit = X(N()) - B }\n"
                       "r.fit:reorder{}  r:merge(r.fit, r.reg)"),
            "test.lua:2: unknown name 'B'; it is no variable of this text, no input and no name "
            "of the energy language");
  EXPECT_THAT(message_of(StatementInputs + "while true do r.fit:reorder{y} end"),
              HasSubstr("test.lua:11: the text has more than 10000 schedule statements"));
  EXPECT_THAT(message_of(StatementInputs + "r.fit:reorder{y} r.reg:reorder{y}\nwhile true do\n"
                                           "r.fit:assume_schedule(r.reg)\n"
                                           "r.reg:assume_schedule(r.fit) end"),
              HasSubstr("the text has more than 10000 schedule statements"));
  EXPECT_THAT(message_of(StatementInputs + "for i = 1, 1000 do r.fit:m(('x'):rep(1e5)) end",
                         {.memory_bytes = 8 << 20}),
              HasSubstr("test.lua:11: the text used more than 8 MiB"));
}

TEST(ScheduleStatements, MergeAndSplitGiveTheNewParts) {
  EXPECT_THAT(
      recorded(R"(
    local both = r:merge(r.fit, r.reg)
    both:reorder{y}
    local new, old = r:split(both, 1, 2)
    new.J:materialize()
    old.JtJ:materialize()
    local one = r:split(new, 1)
    one:clear_reorder())"),
      ElementsAre("r:merge(r.fit, r.reg)", "r.fit_reg:reorder(y)", "r:split(r.fit_reg, 1, 2)",
                  "r.fit_reg_1_2:reorder(y)",  // what was said of it goes with it
                  "r.fit_reg_1_2.J:materialize()", "r.fit_reg.JtJ:materialize()",
                  "r:split(r.fit_reg_1_2, 1)", "r.fit_reg_1_2_1:reorder(y)",
                  "r.fit_reg_1_2_1.J:materialize()", "r.fit_reg_1_2_1:clear_reorder()"));
}

TEST(ScheduleStatements, APartAssumesWhatWasSaidOfAnother) {
  EXPECT_THAT(
      recorded(R"(
    r.fit:reorder{y}
    r.fit.J:materialize()
    r.fit:split_merge{[1]="conv[1]"}
    r.reg:assume_schedule(r.fit):strategy("JtJp")
    r.fit.JtF:compute_at_output(true)
    r.fit:assume_schedule(r.fit))"),
      ElementsAre("r.fit:reorder(y)", "r.fit.J:materialize()", "r.fit:split_merge(\"conv[1]\")",
                  "r.reg:assume_schedule(r.fit)", "r.reg:reorder(y)", "r.reg.J:materialize()",
                  "r.reg:strategy(\"JtJp\")", "r.fit.JtF:compute_at_output(true)"));
  const ScheduleStatement assumed =
      load_with("r.fit:reorder{y}\nr.reg:assume_schedule(r.fit)").schedule.back();
  EXPECT_EQ(assumed.where.line, 12);
  EXPECT_EQ(assumed.assumed_of, "fit");
}

// A second text, with intermediates and Sums.
const std::string StoredText = R"(local W, K = Dims("W", "K")
Inputs { X = Unknown(float, {W}), A = Array(float, {W}), T = Array(float, {K}) }
local x, k = W(), K()
shading = A(x) * X(x)^2
local pose = name("pose", Vector(sin(X(x)), cos(X(x))))
local plain = A(x) * X(x)
local table = ComputedArray("table", {x}, exp(X(x)))
blurred = Sum({k}, T(k) * X(x + k))
local sharp = name("sharp", Sum({k}, T(k) * X(x - k)))
local anonymous = Sum({k}, T(k)^2 * X(x - k))
both = Vector(Sum({k}, T(k) * sin(X(x - k))), Sum({k}, T(k) * cos(X(x - k))))
local stored_shading, stored_pose, stored_plain = shading:get(x + 1), pose:get(x - 1), plain:get(x)
local r = Residuals { r = { stored_shading - stored_pose(0) + stored_pose(1) * stored_plain,
                            table(x), blurred, sharp, anonymous, both } }
)";

std::vector<std::string> recorded_on_stored(const std::string& statements) {
  const Expected<EnergyFile> file = load_energy_text(StoredText + statements, "test.lua");
  if (!file) return {file.error().message()};
  std::vector<std::string> texts;
  for (const ScheduleStatement& statement : file->schedule) {
    EXPECT_EQ(statement.on.kind, ScheduleName::Kind::Bare);
    texts.push_back(statement.text());
  }
  return texts;
}

TEST(ScheduleStatements, IntermediatesAreMeantByTheirExpressionsAlsoBeforeTheyAreMade) {
  EXPECT_THAT(recorded_on_stored(R"(
    shading:materialize{value=true, gradient=true}
    stored_shading:set_materialize(true)
    pose:set_gradient_materialize(false)
    stored_pose:materialize()
    stored_pose(1):materialize(false):set_materialize(true)
    table:set_materialize(true))"),
              ElementsAre("shading:materialize{gradient=true, value=true}",
                          "shading:set_materialize(true)", "pose:set_gradient_materialize(false)",
                          "pose:materialize()", "pose:materialize(false)",
                          "pose:set_materialize(true)", "table:set_materialize(true)"));
  EXPECT_THAT(recorded_on_stored("plain:materialize()"),
              ElementsAre(::testing::MatchesRegex("%[0-9a-f]+:materialize\\(\\)")));
  EXPECT_THAT(recorded("late = X(x, y) * A(x, y)\nlate:materialize()\nlocal s = late:get(x, y)"),
              ElementsAre("late:materialize()"));
}

// What residuals are made of is stored where a statement asks for it: as a term of a sum, as one
// that is subtracted, and as a factor.
TEST(ScheduleStatements, ExpressionsOfResidualsBecomeIntermediates) {
  const std::string text = R"(
    local N, U = Dims("N", "U")
    Inputs { w = Unknown(float2, {U}), P = Array(float2, {N}), Q = Array(float2, {N}), s = Param(float2) }
    local n = N()
    moved = Rotate2D(w(0, 0), P(n)) + w(0)
    scaled = 2 * moved(0) * s(0)
    local r = Residuals {
      a = moved - Q(n), b = Q(n) - moved * s, c = exp(moved(0)) / moved(1), d = scaled * s(1)
    })";
  const Energy plain = test::load(text), stored = test::load(text + "moved:materializeJ()");
  ASSERT_EQ(stored.intermediates().size(), 1U);
  EXPECT_EQ(stored.field(stored.intermediates()[0].field).name, "moved");
  for (const ResidualGroup& group : stored.groups())
    for (const ExprId residual : group.residuals) {
      bool reads = false;
      for (const ExprId access : stored.graph().accesses(std::span(&residual, 1)))
        reads = reads || stored.graph().field(access) == stored.intermediates()[0].field;
      EXPECT_TRUE(reads) << group.name;
    }
  const auto residuals = [](const Energy& energy) {
    const std::vector<double> points = {1, 2, 3, 5, 8, 13};
    return EnergyEvaluator(energy, test::bind(energy, {{{"N", 3}, {"U", 1}},
                                                       {{"w", std::vector<double>{0.5, 2}},
                                                        {"P", points},
                                                        {"Q", points},
                                                        {"s", std::vector<double>{0.1, 7}}},
                                                       {},
                                                       {}}))
        .residuals();
  };
  EXPECT_THAT(residuals(stored),
              ::testing::Pointwise(::testing::DoubleNear(1e-13), residuals(plain)));
  EXPECT_EQ(test::load(text + "scaled:materialize()").intermediates().size(), 1U);
  EXPECT_THAT(message_of(text + "Vector(Q(n) * Q(n)):materialize()"),
              HasSubstr("test.lua:9:25: materialize: no residual is made of the expression"));
}

TEST(ScheduleStatements, SumsAreMeantByTheirNamesThatTheEnergyKnows) {
  EXPECT_THAT(recorded_on_stored("blurred:parallelize(true)\nsharp:parallelize()"),
              ElementsAre("blurred:parallelize(true)", "sharp:parallelize()"));
  EXPECT_THAT(recorded_on_stored("both:parallelize(true)"),
              ElementsAre("both_0:parallelize(true)", "both_1:parallelize(true)"));
  EXPECT_THAT(recorded_on_stored("anonymous:parallelize(true)"),
              ElementsAre(::testing::MatchesRegex("%[0-9a-f]+:parallelize\\(true\\)")));
  const Expected<EnergyFile> file = load_energy_text(StoredText, "test.lua");
  ASSERT_TRUE(file) << file.error().message();
  std::vector<std::string> names;
  for (const NamedSum& sum : file->energy.sums()) names.push_back(sum.name);
  EXPECT_THAT(names,
              ElementsAre("blurred", "sharp", "both_0", "both_1", ::testing::StartsWith("%")));
}

TEST(ScheduleStatements, SumsOfIntermediatesAreMeantByTheirNamesToo) {
  const auto recorded_with = [](const std::string& residual) {
    const Expected<EnergyFile> file = load_energy_text(R"(
      local N, K = Dims("N", "K") Inputs { X = Unknown(float, {N}), A = Array(float, {K}) }
      local n, k = N(), K()
      blurred = Sum({k}, A(k) * X(n + k))
      shade = blurred * X(n)
      local stored = shade:get(n + 1)
      blurred:parallelize(true)
      local r = Residuals { r = )" + residual + " }",
                                                       "test.lua");
    return file ? file->schedule.at(0).text() : file.error().message();
  };
  EXPECT_EQ(recorded_with("stored * X(n)"), "blurred:parallelize(true)");
  EXPECT_EQ(recorded_with("X(n)"),
            "test.lua:7:7: parallelize: no residual is made of the Sum 'blurred'");
}

TEST(ScheduleStatements, ASumWhoseNameIsTakenIsCalledByItsHash) {
  const Expected<EnergyFile> file = load_energy_text(R"(
    local N, K = Dims("N", "K") Inputs { X = Unknown(float, {N}), A = Array(float, {K}) }
    local n, k = N(), K()
    local a, b = name("A", Sum({k}, A(k) * X(n + k))), name("b", Sum({k}, A(k) * X(n - k)))
    local again = name("b", Sum({k}, A(k) * X(n + 2 * k)))
    local r = Residuals { r = { a, b, again } }
    a:parallelize() b:parallelize() again:parallelize())",
                                                     "test.lua");
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->schedule.size(), 3U);
  EXPECT_THAT(file->schedule[0].on.name, ::testing::StartsWith("%"));
  EXPECT_EQ(file->schedule[1].on.name, "b");
  EXPECT_THAT(file->schedule[2].on.name, ::testing::StartsWith("%"));
  EXPECT_NE(file->schedule[0].on.name, file->schedule[2].on.name);
}

TEST(ScheduleStatements, HintsMayBeMissingAndAGroupHasTheNameOfAMethod) {
  LogCapture log;
  EXPECT_THAT(recorded("r:set_direct_solve(true)\nr:set_direct_solve(false)\n"
                       "local v = V0:set_coherent(true)(e)"),
              IsEmpty());
  ASSERT_EQ(log.records().size(), 1U);  // the others are infos
  EXPECT_THAT(log.records()[0].text, HasSubstr("the option 'linear_solver=dense'"));
  const Expected<EnergyFile> file = load_energy_text(R"(
    local N = Dims("N") Inputs { X = Unknown(float, {N}) }
    local r = Residuals { merge = X(N()), loss = 2 * X(N()) }
    r.merge:reorder{}
    r.loss:loss(huber(1)))",
                                                     "test.lua");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->schedule.at(0).text(), "r.merge:reorder()");
}

}  // namespace
}  // namespace thallo
