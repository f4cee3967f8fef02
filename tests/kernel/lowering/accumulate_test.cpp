// One sum, scattered and gathered: what is added where is said once, and both compute it.

#include "core/kernel/lowering/accumulate.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/kernel/generate.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::DoubleEq, testing::ElementsAre, testing::IsEmpty, testing::Pointwise,
    testing::SizeIs;

// Four points i, each of which leads to one of three points j or to none.
class Accumulated : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("hand");
    const DimId N = e.dim("N"), M = e.dim("M");
    const auto u = e.unknown("u", {N}), v = e.unknown("v", {M});
    const auto x = e.array("x", {N}), table = e.array("table", {N, M});
    const auto to = e.map("to", {N}, {M}, -1, true);
    const IndexExpr i = e.domain(N, "i"), j = e.domain(M, "j");
    e.residual("r", {u(i) + v(to(i)) + x(i), table(i, j) * u(i)});
    return test::build(std::move(e));
  }
  Binding bind() const {
    return test::bind(energy_, {.extents = {{"N", 4}, {"M", 3}},
                                .fields = {{"u", std::vector<double>(4)},
                                           {"v", std::vector<double>(3)},
                                           {"x", std::vector<double>{1, 2, 3, 4}},
                                           // table(i, j) = 100 i + 1000 j
                                           {"table", std::vector<double>{0, 100, 200, 300,        //
                                                                         1000, 1100, 1200, 1300,  //
                                                                         2000, 2100, 2200, 2300}}},
                                .maps = {{"to", {2, 0, -1, 2}}}});
  }

  ExprId x() { return b_.read(energy_.find_field("x"), at(0)); }
  IndexId at(std::int64_t offset) {
    return indices_.intern(
        MultiIndex{indices_.add(indices_.component(i_), IndexTable::component(offset))});
  }
  IndexId at_map() {
    return indices_.intern(MultiIndex{indices_.component(energy_.find_map("to"), 0, at(0))});
  }
  // The vector b, which has the elements of u before those of v.
  FieldId b_of(const char* unknown) {
    return b_.vector_view(SolverVector::B, energy_.find_field(unknown));
  }

  // b_u(i) += x(i), b_u(i + 1) += 10 x(i) + 5, b_v(to(i)) += x(i), b_u(i) += sum over j
  // of table(i, j)
  std::vector<Addend> addends() {
    const FieldId table = energy_.find_field("table");
    const DomainId both[] = {i_, j_};
    ExprGraph& g = b_.graph();
    const ExprId tenfold_and_5 = g.add(g.mul(g.constant(10), x()), g.constant(5));
    const ExprId entry = b_.read(table, indices_.intern(both));
    return {{.field = b_of("u"), .index = at(0), .points = {i_}, .value = x()},
            {.field = b_of("u"), .index = at(1), .points = {i_}, .value = tenfold_and_5},
            {.field = b_of("v"), .index = at_map(), .points = {i_}, .value = x()},
            {.field = b_of("u"), .index = at(0), .points = {i_}, .loops = {j_}, .value = entry}};
  }
  // u, then v: no point adds 5 to the first element, and the third point leads to no element of v.
  const std::vector<double> sums_ = {1 + 3000, 2 + 15 + 3300, 3 + 25 + 3600, 4 + 35 + 3900, 2,
                                     0,        1 + 4};

  // What is in b after the kernel ran as often.
  std::vector<double> run(Kernel kernel, int times) {
    const std::size_t buffer = b_.vector(SolverVector::B);
    b_.step(Phase::Setup, ClearBuffer{buffer});
    b_.launch(Phase::Values, b_.add_kernel(std::move(kernel)));
    const auto backend = make_interpreter_backend().value();
    const auto executable =
        backend->compile(generate(std::move(b_).take()), {.precision = Precision::Double}).value();
    EXPECT_TRUE(executable->bind(bind()));
    executable->run(Phase::Setup);
    for (int n = 0; n < times; ++n) executable->run(Phase::Values);
    return executable->read_buffer(buffer);
  }
  static Kernel empty_kernel() { return {.role = "sums", .label = "sums"}; }

  const Energy energy_ = make_energy();
  const Plan plan_ = default_plan(energy_);
  ProgramBuilder b_{energy_, plan_, {}};
  IndexTable& indices_ = b_.graph().indices();
  const DomainId i_ = b_.fresh_domain(energy_.find_dim("N"), "i");
  const DomainId j_ = b_.fresh_domain(energy_.find_dim("M"), "j");
};

std::vector<double> twice(std::vector<double> values) {
  for (double& value : values) value *= 2;
  return values;
}

using Scattered = Accumulated;

TEST_F(Scattered, AddToMemory) {
  Kernel kernel = empty_kernel();
  scatter(kernel, {i_}, addends());
  EXPECT_THAT(run(kernel, 2), Pointwise(DoubleEq(), twice(sums_)));
}

TEST_F(Scattered, AddTheSameWhereThePointsOfLoopsAreThreads) {
  std::vector<Addend> all = addends();
  for (Addend& addend : all) addend.loops_are_parallel = true;
  Kernel kernel = empty_kernel();
  scatter(kernel, {i_}, all);
  EXPECT_THAT(run(kernel, 2), Pointwise(DoubleEq(), twice(sums_)));
}

// Additions, the loop, and what a thread does besides; the addends of one loop share it.
TEST_F(Scattered, RunLoopsSeriallyInTheThreadOfAPoint) {
  std::vector<Addend> all = addends();
  all.push_back(all.back());
  Kernel kernel = empty_kernel();
  scatter(kernel, {i_}, all, {b_.reduce(StateSlot::Cost, x())});
  ASSERT_THAT(kernel.sections, SizeIs(1));
  EXPECT_THAT(kernel.sections[0].domains, ElementsAre(i_));
  const Block& body = kernel.sections[0].body;
  ASSERT_THAT(body, SizeIs(5));
  for (std::size_t s = 0; s < 3; ++s)
    EXPECT_TRUE(std::holds_alternative<ScatterAdd>(body[s].node)) << s;
  ASSERT_TRUE(std::holds_alternative<Loop>(body[3].node));
  EXPECT_THAT(std::get<Loop>(body[3].node).domains, ElementsAre(j_));
  EXPECT_THAT(std::get<Loop>(body[3].node).body, SizeIs(2));
  EXPECT_TRUE(std::holds_alternative<Reduce>(body[4].node));
}

TEST_F(Scattered, HaveASectionForThePointsOfParallelLoops) {
  Addend looped = addends().back();
  looped.loops_are_parallel = true;
  Kernel kernel = empty_kernel();
  scatter(kernel, {i_}, {looped});
  ASSERT_THAT(kernel.sections, SizeIs(1)) << "none of the points alone, where nothing is to do";
  EXPECT_THAT(kernel.sections[0].domains, ElementsAre(i_, j_));
  EXPECT_THAT(kernel.sections[0].body, SizeIs(1));
}

TEST_F(Scattered, AreNothingWithoutAddends) {
  Kernel kernel = empty_kernel();
  scatter(kernel, {i_}, {});
  EXPECT_THAT(kernel.sections, IsEmpty());
}

using Gathered = Accumulated;

TEST_F(Gathered, AreAddedToMemory) {
  Kernel kernel = empty_kernel();
  gather(b_, kernel, addends(), added_to_memory(b_));
  EXPECT_THAT(run(kernel, 2), Pointwise(DoubleEq(), twice(sums_)));
}

TEST_F(Gathered, ReplaceWhatIsStored) {
  Kernel kernel = empty_kernel();
  gather(b_, kernel, addends(), stored());
  EXPECT_THAT(run(kernel, 2), Pointwise(DoubleEq(), sums_));
}

// u and d are over N, v is over M.
TEST_F(Gathered, HaveASectionForTheFieldsOverTheSameDims) {
  std::vector<Addend> all = addends();
  all.push_back({.field = b_.vector_view(SolverVector::D, energy_.find_field("u")),
                 .index = at(-1),
                 .points = {i_},
                 .value = x()});
  Kernel kernel = empty_kernel();
  gather(b_, kernel, all, stored());
  ASSERT_THAT(kernel.sections, SizeIs(2));
  EXPECT_THAT(kernel.sections[0].body, SizeIs(2)) << "one statement a scalar";
  EXPECT_THAT(kernel.sections[1].body, SizeIs(1));
  for (const Section& section : kernel.sections) {
    for (const Statement& statement : section.body)
      EXPECT_TRUE(std::holds_alternative<Store>(statement.node)) << "no atomic additions";
  }
}

TEST_F(Gathered, ShareTheLoopOverThePointsThatAMapLeadsFrom) {
  const Addend first{.field = b_of("v"), .index = at_map(), .points = {i_}, .value = x()};
  Addend second = first;
  second.field = b_.vector_view(SolverVector::D, energy_.find_field("v"));
  Kernel kernel = empty_kernel();
  gather(b_, kernel, {first, second}, stored());
  b_.add_kernel(kernel);
  const GeneratedProgram generated = generate(std::move(b_).take());
  int num_loops = 0;
  for (const CodeItem& item : generated.codes.back().sections.at(0).block)
    num_loops += std::holds_alternative<LoopItem>(item.node) ? 1 : 0;
  EXPECT_EQ(num_loops, 1);
}

}  // namespace
}  // namespace thallo
