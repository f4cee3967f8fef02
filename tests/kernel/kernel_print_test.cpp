#include "core/kernel/kernel_print.h"

#include <gtest/gtest.h>

#include "tests/support/hand_code.h"

namespace thallo {
namespace {

// Fields over N: x, weight and out of one channel, u of two.
class KernelPrint : public testing::Test {
 protected:
  ExprId constant(double value) { return graph_.constant(value); }
  ExprId read(FieldId field, IndexId index, int channel = 0) {
    return graph_.access(field, index, channel);
  }
  ExprId state(StateSlot slot) {
    return graph_.access(hand_.program.state, graph_.indices().intern(MultiIndex{}),
                         static_cast<int>(slot));
  }
  IndexId at(DomainId domain, std::int64_t offset = 0) {
    IndexTable& indices = graph_.indices();
    return indices.intern(
        MultiIndex{indices.add(indices.component(domain), IndexTable::component(offset))});
  }
  DomainId domain(const char* name) { return graph_.indices().add_domain(n_, name); }
  std::string print(const Kernel& kernel) const { return to_string(hand_.program, graph_, kernel); }

  test::HandDeclarations hand_;
  ExprGraph& graph_ = hand_.program.graph;
  const DimId n_ = hand_.dim("N");
  const FieldId x_ = hand_.field("x", {n_});
  const FieldId weight_ = hand_.param("weight");
  const FieldId u_ = hand_.field("u", {n_}, 2, FieldKind::Unknown);
  const FieldId out_ = hand_.field("out", {n_}, 1, FieldKind::Buffer);
  const FieldId matrix_ =
      hand_.field("JtJ", {}, 1, FieldKind::Buffer, ScalarType::Working, BufferKind::Matrix);
};

TEST_F(KernelPrint, HasALineForEveryKindOfStatement) {
  const DomainId i = domain("i"), j = domain("j"), k = domain("k");
  const ExprId positive = graph_.binary(Op::Less, constant(0), read(x_, at(i)));
  const Store store{
      out_, at(i), 0,
      graph_.mul(read(weight_, graph_.indices().intern(MultiIndex{})), read(x_, at(i, 1)))};
  const ScatterAdd add{u_, at(k), 1, read(u_, at(i, -1), 0)};
  const MatrixAdd entry{matrix_, {u_, at(i), 0}, {u_, at(j), 1}, constant(2)};
  Kernel kernel{.role = "all", .label = "all [part]"};
  kernel.sections.push_back(
      {.domains = {i, j},
       .body = {{Guard{positive, {{store}}}},
                {Loop{{k}, {{add}}}},
                {entry},
                {Reduce{ReduceOp::Sum, static_cast<int>(StateSlot::Cost), read(x_, at(j))}},
                {Reduce{ReduceOp::Max, static_cast<int>(StateSlot::BMax), constant(1)}}}});
  EXPECT_EQ(print(kernel), R"(kernel all [part]
  for each point of (i < N, j < N)
    if 0 < x(i)
      out(i) = x(i + 1) * weight
    for (k < N)
      u(k)[1] += u(i - 1)[0]
    JtJ[u(i)[0], u(j)[1]] += 2
    state.Cost sum= x(j)
    state.BMax max= 1
)");
}

TEST_F(KernelPrint, EndsWithTheEpilogueAndTheConditionOfTheLoopAroundTheKernel) {
  Kernel kernel{.role = "update", .label = "update"};
  const Store beta{hand_.program.state, graph_.indices().intern(MultiIndex{}),
                   static_cast<int>(StateSlot::Beta),
                   graph_.div(state(StateSlot::PAp), state(StateSlot::Rz))};
  kernel.epilogue = {beta};
  EXPECT_EQ(print(kernel), R"(kernel update
  then once
    state.Beta = state.PAp / state.Rz
)");
  kernel.loop_condition = graph_.binary(Op::Eq, state(StateSlot::Stop), constant(0));
  EXPECT_EQ(print(kernel), R"(kernel update
  then once
    state.Beta = state.PAp / state.Rz
    repeat while 0 == state.Stop
)");
}

// In every section anew: names do not reach from one to the next.
TEST_F(KernelPrint, NamesWhatTheStatementsOfASectionShare) {
  Kernel kernel{.role = "waves", .label = "waves"};
  const ExprId wave = graph_.unary(Op::Sin, read(weight_, graph_.indices().intern(MultiIndex{})));
  for (const char* name : {"i", "j"}) {
    const DomainId here = domain(name);
    const Store first{out_, at(here), 0, graph_.mul(wave, read(x_, at(here)))};
    const Store second{u_, at(here), 0, graph_.powi(wave, 2)};
    const ExprId positive = graph_.binary(Op::Less, constant(0), read(x_, at(here)));
    kernel.sections.push_back(
        {.domains = {here}, .body = {{first}, {Guard{positive, {{second}}}}}});
  }
  EXPECT_EQ(print(kernel), R"(kernel waves
  for each point of (i < N)
    t0 = sin(weight)
    out(i) = t0 * x(i)
    if 0 < x(i)
      u(i)[0] = t0^2
  for each point of (j < N)
    t0 = sin(weight)
    out(j) = x(j) * t0
    if 0 < x(j)
      u(j)[0] = t0^2
)");
}

// A name above the loop would stand for a value that changes in it.
TEST_F(KernelPrint, WritesOutWhatOnlyStatementsOfALoopShare) {
  const DomainId i = domain("i"), k = domain("k");
  const ExprId wave = graph_.unary(Op::Sin, read(x_, at(k)));
  const ScatterAdd first{u_, at(i), 0, wave}, second{u_, at(i), 1, graph_.neg(wave)};
  Kernel kernel{.role = "waves", .label = "waves"};
  kernel.sections.push_back({.domains = {i}, .body = {{Loop{{k}, {{first}, {second}}}}}});
  EXPECT_EQ(print(kernel), R"(kernel waves
  for each point of (i < N)
    for (k < N)
      u(i)[0] += sin(x(k))
      u(i)[1] += -sin(x(k))
)");
}

// A pass writes to a graph of its own, which has more nodes than the program's.
TEST_F(KernelPrint, TakesTheExpressionsFromTheGraphThatItIsGiven) {
  const DomainId i = domain("i");
  const std::size_t size = graph_.size();
  ExprGraph copy = graph_;
  const IndexId here = copy.indices().intern(std::span(&i, 1));
  Kernel kernel{.role = "one", .label = "one"};
  kernel.sections.push_back(
      {.domains = {i}, .body = {{Store{out_, here, 0, copy.access(x_, here, 0)}}}});
  EXPECT_EQ(to_string(hand_.program, copy, kernel), R"(kernel one
  for each point of (i < N)
    out(i) = x(i)
)");
  EXPECT_EQ(graph_.size(), size);
}

}  // namespace
}  // namespace thallo
