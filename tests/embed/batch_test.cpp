// Batches: what becomes of each member is what becomes of it alone, whatever the backend, the
// threads and the linear solver.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/embed/energy_solver.h"

namespace thallo {
namespace {

using Values = std::vector<double>;

// An input. Its values are those of each member, one after the other in memory, or side by side
// where the members are its first dim; or all members share them.
enum class Order { Members, MembersFirst, Shared };
struct Input {
  std::string name;
  Order order;
  std::size_t count;  // of values, for each member or shared
  double (*value)(double member, double i);
};
struct Energies {
  std::string name;
  std::string text;  // without the line that declares B
  std::vector<Input> inputs;
  bool has_rows = false;  // true if all inputs are numbers over another dim and the members
};

double wave(double m, double i) { return std::sin(0.7 * (m + 1) + 1.9 * i); }
double one(double, double) { return 1; }
double tenth(double, double) { return 0.1; }
double quarters(double, double i) { return 0.25 * i; }
double is_second(double m, double) { return m == 1 ? 1 : 0; }
double decay(double m, double i) {
  return (1 + 0.3 * m) * std::exp(-(0.3 + 0.2 * m) * 0.25 * i) + 0.1 * m + 0.02 * wave(m, i);
}
double stairs(double m, double i) { return std::floor(i / 4) + 0.3 * wave(m, i); }
double places(double, double i) { return std::fmod(i, 2) == 0 ? std::cos(i) : 2 * std::sin(i); }
double turned(double m, double i) {
  const double a = 0.4 * m - 0.7, first = i - std::fmod(i, 2);
  const double x = places(m, first), y = places(m, first + 1);
  return (first == i ? std::cos(a) * x - std::sin(a) * y + 1 : std::sin(a) * x + std::cos(a) * y) +
         0.05 * wave(m, i);
}

const Energies Decays{"Decays",
                      R"(local K = Dims("K")
Inputs { a = Unknown(double, {B}), q = Unknown(double2, {B}), t = Array(double, {K}),
         Y = Array(double, {B, K}), w = Param(double) }
local k, b = K(), B()
local r = Residuals { fit = a(b) * exp(-q(b)(0) * t(k)) + q(b)(1) - Y(b, k),
                      prior = w * (q(b)(0) - 1) }
r.fit:loss(cauchy(1)))",
                      {{"a", Order::Members, 1, one},
                       {"q", Order::Members, 2, tenth},
                       {"t", Order::Shared, 12, quarters},
                       {"Y", Order::MembersFirst, 12, decay},
                       {"w", Order::Shared, 1, tenth}}};
const Energies Poses{"Poses",
                     R"(local K = Dims("K")
Inputs { P = Unknown(SE2, {B}), A = Array(double2, {K}), Y = Array(double2, {K, B}),
         held = Array(double, {B}) }
local k, b = K(), B()
local p = P(b)
Residuals { fit = Rotate2D(p(2), A(k)) + p:slice(0, 2) - Y(k, b) }
P:Exclude(eq(held(b), 1)))",
                     {{"P", Order::Members, 3, tenth},
                      {"A", Order::Shared, 20, places},
                      {"Y", Order::Members, 20, turned},
                      {"held", Order::Members, 1, is_second}}};
const Energies Sums{"Sums",
                    R"(local K = Dims("K")
Inputs { c = Unknown(double2, {B}), t = Array(double, {K}), Y = Array(double, {K, B}) }
local k, b = K(), B()
local mean = Sum({k}, exp(c(b)(0) * t(k)) * Y(k, b)):get(b)
Residuals { level = mean - 3, slope = c(b)(1) * mean - c(b)(0), near = c(b) - Vector(0.5, 0.5) })",
                    {{"c", Order::Members, 2, tenth},
                     {"t", Order::Shared, 6, quarters},
                     {"Y", Order::Members, 6, decay}}};
const Energies Signals{"Signals",
                       R"(local N = Dims("N")
Inputs { X = Unknown(double, {N, B}), Y = Array(double, {N, B}) }
local n, b = N(), B()
local d = X(n + 1, b) - X(n, b)
Residuals { fit = X(n, b) - Y(n, b), flat = Select(InBounds(n + 1), 2 * d / sqrt(1 + d * d), 0) })",
                       {{"X", Order::Members, 24, tenth}, {"Y", Order::Members, 24, stairs}},
                       true};

using Settings = std::vector<std::pair<std::string, std::string>>;
struct Way {
  std::string name;
  EnergySolverOptions where;
};
const Way Interpreted{"Interpreted", {.backend = "interpreter"}};
const Way OneThread{"OneThread", {.backend = "cpu", .num_threads = 1}};
const Way TwoThreads{"TwoThreads", {.backend = "cpu", .num_threads = 2}};
const Way Device{"Device", {.backend = "cuda"}};

struct Solved {
  SolverSummary summary;
  std::map<std::string, Values> values;
};

// Solves some members as a batch, or one as an energy of its own.
Solved solve(const Energies& energies, const Way& way, std::size_t first, std::size_t count,
             bool is_batch, const Settings& settings = {}) {
  const std::string text =
      (is_batch ? "local B = Batch(\"B\")\n" : "local B = Dims(\"B\")\n") + energies.text;
  EnergySolverOptions where = way.where;
  if (!where.precision) where.precision = Precision::Double;
  auto solver = EnergySolver::load_text(text, energies.name + ".lua", where);
  EXPECT_TRUE(solver) << solver.error().message();
  Solved solved;
  for (const auto& [name, order, size, value] : energies.inputs) {
    Values& values = solved.values[name];
    const std::size_t members = order == Order::Shared ? 1 : count;
    for (std::size_t n = 0; n < members * size; ++n) {
      const std::size_t member = order == Order::MembersFirst ? n % members : n / size;
      const std::size_t i = order == Order::MembersFirst ? n / members : n % size;
      values.push_back(value(static_cast<double>(first + member), static_cast<double>(i)));
    }
    if (name == "w") {
      solver->bind(name, values.front());
    } else if (order == Order::MembersFirst) {
      solver->bind(name, values, {std::int64_t(members), std::int64_t(size)});
    } else if (energies.has_rows) {
      solver->bind(name, values, {std::int64_t(size), std::int64_t(members)});
    } else {
      solver->bind(name, values);
    }
  }
  SolverOptions options = SolverOptions::until_converged();
  for (const auto& [name, option] : settings) EXPECT_TRUE(options.set(name, option));
  auto summary = solver->solve(options);
  EXPECT_TRUE(summary) << summary.error().message();
  if (summary) solved.summary = *std::move(summary);
  return solved;
}

struct Case {
  Energies energies;
  Way way;
  Settings options;
};
class BatchMembers : public testing::TestWithParam<Case> {};

TEST_P(BatchMembers, EndAsEachOfThemAlone) {
  const auto& [energies, way, options] = GetParam();
  if (const auto backend = make_backend(way.where.backend); !backend)
    GTEST_SKIP() << backend.error().message();
  // The others add up what is alone in another order, which may take a step more or less.
  const int most = way.where.backend == "interpreter" ? 0 : 1;
  constexpr std::size_t NumMembers = 5;
  const Solved batch = solve(energies, way, 0, NumMembers, true, options);
  ASSERT_EQ(batch.summary.members.size(), NumMembers);
  double total = 0;
  for (std::size_t m = 0; m < NumMembers; ++m) {
    SCOPED_TRACE(m);
    const MemberSummary& member = batch.summary.members[m];
    const Solved alone = solve(energies, way, m, 1, false, options);
    EXPECT_NEAR(member.initial_cost, alone.summary.initial_cost, 1e-12 * member.initial_cost);
    EXPECT_NEAR(member.final_cost, alone.summary.final_cost, 1e-9 * (1 + member.final_cost));
    EXPECT_NEAR(member.num_iterations, alone.summary.num_iterations, most);
    EXPECT_NEAR(member.num_accepted, alone.summary.num_accepted, most);
    EXPECT_TRUE(most > 0 || member.termination == alone.summary.termination);
    const Input& unknown = energies.inputs.front();
    for (std::size_t i = 0; i < unknown.count; ++i)
      EXPECT_NEAR(batch.values.at(unknown.name)[m * unknown.count + i],
                  alone.values.at(unknown.name)[i], 1e-6);
    total += member.final_cost;
  }
  EXPECT_NEAR(batch.summary.final_cost, total, 1e-12 * total);
  EXPECT_TRUE(batch.summary.converged()) << batch.summary.why();
}

const Settings Dense = {{"linear_solver", "dense"}};
const Settings Pcg = {{"linear_solver", "pcg"}};
const Settings Blocks = {{"linear_solver", "pcg"}, {"preconditioner", "block_jacobi"}};
const Settings Halved = {
    {"linear_solver", "dense"}, {"solver", "gn"}, {"function_tolerance", "1e-8"}};

INSTANTIATE_TEST_SUITE_P(
    All, BatchMembers,
    testing::Values(Case{Decays, Interpreted, Dense}, Case{Decays, OneThread, Dense},
                    Case{Decays, TwoThreads, Pcg}, Case{Decays, Interpreted, Halved},
                    Case{Poses, Interpreted, Dense}, Case{Poses, TwoThreads, Blocks},
                    Case{Sums, Interpreted, Dense}, Case{Sums, OneThread, Pcg},
                    Case{Signals, Interpreted, Pcg}, Case{Signals, TwoThreads, Pcg},
                    Case{Decays, Device, Dense}, Case{Poses, Device, Blocks},
                    Case{Signals, Device, Pcg}),
    [](const testing::TestParamInfo<Case>& info) {
      std::string name = info.param.energies.name + info.param.way.name;
      for (const auto& [option, value] : info.param.options)
        name += "_" + (option == "function_tolerance" ? std::string("tolerance") : value);
      return name;
    });

TEST(Batch, HasAnyNumberOfMembers) {
  const Solved none = solve(Decays, Interpreted, 0, 0, true);
  EXPECT_TRUE(none.summary.members.empty());
  EXPECT_EQ(none.summary.final_cost, 0);
  EXPECT_EQ(solve(Decays, Interpreted, 0, 1, true).summary.members.size(), 1u);
}

TEST(Batch, MemberThatIsNotFiniteEndsAlone) {
  Energies spoiled = Decays;
  spoiled.inputs[1].value = [](double m, double) { return m == 2 ? -1e6 : 0.1; };  // q: exp(1e6 t)
  const Solved batch = solve(spoiled, Interpreted, 0, 4, true);
  const Solved right = solve(Decays, Interpreted, 0, 4, true);
  ASSERT_EQ(batch.summary.members.size(), 4u);
  for (std::size_t m = 0; m < 4; ++m) {
    const MemberSummary& member = batch.summary.members[m];
    if (m == 2) {
      EXPECT_EQ(member.termination, Termination::NonFiniteStart);
      EXPECT_EQ(member.num_iterations, 0);
    } else {
      EXPECT_EQ(member.final_cost, right.summary.members[m].final_cost);
    }
  }
  EXPECT_FALSE(batch.summary.converged());
  EXPECT_NE(batch.summary.why().find("1 of 4 members"), std::string::npos) << batch.summary.why();
}

TEST(Batch, IsRefusedBySolversOfAllUnknownsTogether) {
  for (const auto& [options, text] : std::vector<std::pair<Settings, std::string>>{
           {{{"linear_solver", "sparse_cholesky"}}, "use linear_solver pcg or dense"},
           {{{"linear_solver", "dense"}}, "'X' is over (N, B)"},
           {{{"linear_solver", "pcg"}, {"preconditioner", "multigrid"}},
            "use another preconditioner"}}) {
    auto solver = EnergySolver::load_text("local B = Batch(\"B\")\n" + Signals.text, "signals.lua",
                                          {.backend = "interpreter"});
    Values x(24), y(24);
    solver->bind("X", x, {12, 2}).bind("Y", y, {12, 2});
    SolverOptions chosen = SolverOptions::until_converged();
    for (const auto& [name, value] : options) ASSERT_TRUE(chosen.set(name, value));
    const auto refused = solver->solve(chosen);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find(text), std::string::npos) << refused.error().message();
  }
}

}  // namespace
}  // namespace thallo
