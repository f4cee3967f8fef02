// What users do wrong in an energy, and what they are told.

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/energy/builder.h"

namespace thallo {
namespace {

using testing::AllOf, testing::Contains, testing::HasSubstr, testing::IsEmpty, testing::Not;

SourceLocation at(int line) { return {"model.lua", line, 0}; }

std::string fault_of(EnergyBuilder& e) {
  const Expected<Energy> energy = std::move(e).build();
  return energy ? "no fault" : energy.error().message();
}

// W, H, an unknown X over W, an array A over W and H, and a legal residual.
struct Model {
  EnergyBuilder e{"model"};
  DimId W = e.dim("W"), H = e.dim("H");
  FieldHandle X = e.unknown("X", {W}, 2, -1, ScalarType::Working, at(1));
  FieldHandle A = e.array("A", {W, H}, 1, -1, ScalarType::Working, at(2));
  IndexExpr w = e.domain(W), h = e.domain(H);
  Model() { e.residual("fit", X(w) - A(w, h), at(3)); }
};

TEST(Validation, AcceptsAModelWithoutFaults) {
  Model m;
  const std::vector domains = {m.w.domain(), m.h.domain()};
  const Expected<Energy> energy = std::move(m.e).build();
  ASSERT_TRUE(energy) << energy.error().message();
  EXPECT_EQ(energy->groups()[0].domains, domains);
  EXPECT_EQ(energy->groups()[0].residuals.size(), 2u);
}

TEST(Validation, NamesBothDimsOfAMismatch) {
  Model m;
  m.e.residual("bad", m.X(m.w) - m.A(m.h, m.w), at(7));
  EXPECT_THAT(fault_of(m.e), AllOf(HasSubstr("2 faults"),
                                   HasSubstr("model.lua:7: index 1 of array 'A' is the "
                                             "domain 'h' over dim H, but that dim of it "
                                             "is W (legal: w)"),
                                   HasSubstr("index 2 of array 'A' is the domain 'w' over dim W")));
}

TEST(Validation, BlamesTheReadWhereItsPlaceIsKnown) {
  Model m;
  m.e.residual("bad", m.X(m.w) - m.e.read(m.A.id(), {m.w}, at(9)), at(7));
  EXPECT_THAT(fault_of(m.e), AllOf(HasSubstr("model.lua:9: array 'A' has 2 dims {W, H} but is read "
                                             "at 1 index"),
                                   Not(HasSubstr("model.lua:7"))));
}

TEST(Validation, LetsShiftedIndicesRunOverOtherDims) {
  Model m;
  m.e.residual("shifted", m.X(m.w) - m.A(m.h + 1, m.w - m.w + 3));
  EXPECT_EQ(fault_of(m.e), "no fault");
}

TEST(Validation, ChecksMapsArgumentsAndOutputs) {
  Model m;
  const auto v = m.e.map("v", {m.W}, {m.H}, -1, false, at(4));
  m.e.residual("bad", m.X(v(m.w)), at(5));
  m.e.residual("worse", m.X(m.w) - m.A(m.w, v(m.h)), at(6));
  EXPECT_THAT(fault_of(m.e),
              AllOf(HasSubstr("model.lua:5: index 1 of unknown 'X' is a lookup in the sparse map "
                              "'v' into dim H, but that dim of it is W"),
                    HasSubstr("model.lua:6: index 1 of sparse map 'v' is the domain 'h' over dim "
                              "H, but that dim of it is W")));
}

TEST(Validation, RefusesChannelsThatAreNotThere) {
  Model m;
  const ExprId access =
      m.e.graph().access(m.X.id(), m.e.graph().indices().intern(MultiIndex{m.w.affine()}), 2);
  m.e.residual("bad", Expr(&m.e, access), at(5));
  EXPECT_THAT(fault_of(m.e), HasSubstr("model.lua:5: unknown 'X' has 2 channels, channel 2 is "
                                       "read (channels count from 0)"));
}

TEST(Validation, RefusesNamesAndSlotsThatAreTaken) {
  Model m;
  m.e.param("X", 3, ScalarType::Working, at(4));
  m.e.map("v", {m.W}, {m.H}, 3, false, at(5));
  m.e.residual("fit", m.X(m.w), at(6));
  m.e.dim("W");
  EXPECT_THAT(fault_of(m.e),
              AllOf(HasSubstr("model.lua:4: param 'X' is declared twice, first at model.lua:1"),
                    HasSubstr("model.lua:5: sparse map 'v' is on slot 3, which param 'X' already "
                              "has, first at model.lua:4"),
                    HasSubstr("model.lua:6: residual group 'fit' is declared twice"),
                    HasSubstr("dim 'W' is declared twice")));
}

TEST(Validation, TakesAnArrayOnTheSlotOfAnUnknownAsItsConstantView) {
  EnergyBuilder e("views");
  const DimId N = e.dim("N");
  const auto view = e.array("view", {N}, 1, 0);  // before the unknown: field ids move
  const auto X = e.unknown("X", {N}, 1, 0);
  const auto i = e.domain(N);
  const auto half = e.intermediate("half", std::vector{i}, 0.5 * view(i));
  e.residual("step", X(i) - half(i + 1));
  const Expected<Energy> energy = std::move(e).build();
  ASSERT_TRUE(energy) << energy.error().message();
  ASSERT_EQ(energy->fields().size(), 2u);
  EXPECT_FALSE(energy->find_field("view").valid());
  const FieldId x = energy->find_field("X");
  EXPECT_EQ(energy->unknowns(), std::vector{x});
  ASSERT_EQ(energy->intermediates().size(), 1u);
  const ExprGraph& graph = energy->graph();
  const ExprId value = energy->intermediates()[0].values[0];
  const auto accesses = graph.accesses(std::vector{value});
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(graph.field(accesses[0]), x);
  const auto nodes = graph.reachable(std::vector{value});
  EXPECT_TRUE(std::ranges::any_of(nodes, [&](ExprId id) { return graph[id].op == Op::Freeze; }));
}

TEST(Validation, RefusesAViewOfAnotherShape) {
  EnergyBuilder e("views");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N}, 2, 0);
  e.array("view", {N}, 3, 0);
  e.residual("r", X(e.domain(N)));
  EXPECT_THAT(fault_of(e), HasSubstr("array 'view' is on slot 0, which unknown 'X' already has"));
}

TEST(Validation, RefusesResidualsThatCannotBeMinimized) {
  {
    EnergyBuilder e("empty");
    EXPECT_THAT(fault_of(e), AllOf(HasSubstr("no unknown"), HasSubstr("no residual")));
  }
  {
    Model m;
    m.e.residual("none", Vec(), at(4));
    m.e.residual("nowhere", m.X(0), at(5));
    m.e.residual("fixed", m.A(m.w, m.h), at(6));
    m.e.residual("mixed", Vec{m.X(m.w)[0], m.A(m.w, m.h), 1.0}, at(7));
    EXPECT_THAT(fault_of(m.e),
                AllOf(HasSubstr("model.lua:4: residual group 'none' has no residual"),
                      HasSubstr("model.lua:5: residual group 'nowhere' exists at no point"),
                      HasSubstr("model.lua:6: residual group 'fixed' depends on no unknown"),
                      HasSubstr("model.lua:7: residual group 'mixed_w_h' depends on no unknown"),
                      Not(HasSubstr("'mixed_w'"))));
  }
}

TEST(Validation, WantsLossesWithScalesOfParams) {
  Model m;
  m.e.residual("b", 2 * m.X(m.w)[0], at(3));
  m.e.loss("b", "cauchy", m.A(m.w, m.h), at(5));
  EXPECT_THAT(fault_of(m.e),
              HasSubstr("model.lua:5: the scale of the loss cauchy of residual group "
                        "'b' reads the array 'A'; it is a number or made of params"));
}

TEST(Validation, GivesALossOnceToAGroupThatIsThere) {
  Model m;
  m.e.residual("b", m.X(m.w));
  m.e.loss("b", "cauchy", 1.0, at(5));
  m.e.loss("b", "huber", 1.0, at(6));
  m.e.loss("c", "cauchy", 1.0, at(7));
  EXPECT_THAT(fault_of(m.e),
              AllOf(HasSubstr("model.lua:6: residual group 'b' has the loss cauchy already"),
                    HasSubstr("model.lua:7: there is no residual group 'c'")));
}

TEST(Validation, RefusesBoundsTestsOfForeignDomains) {
  Model m;
  m.e.residual("bad", m.e.in_bounds(m.h + 1) * m.X(m.w), at(4));
  EXPECT_THAT(fault_of(m.e), HasSubstr("tests bounds of the domain 'h'"));
}

TEST(Validation, WantsDerivativeImagesWhereTheUnknownMovesTheSample) {
  Model m;
  const Expr x = m.X(m.w)[0], y = m.X(m.w)[1];
  m.e.residual("frozen", m.X(m.w)[0] - m.e.sample(m.A.id(), {}, {}, freeze(x), freeze(y)));
  m.e.residual("moving", m.e.sample(m.A.id(), {}, {}, x, y), at(5));
  EXPECT_THAT(fault_of(m.e), AllOf(HasSubstr("model.lua:5: image 'A' is sampled at a place that "
                                             "depends on an unknown, but has no derivative images"),
                                   Not(HasSubstr("faults"))));
}

TEST(Validation, KnowsWhichChannelOfAnIntermediateMovesASample) {
  Model m;
  const Expr x = m.X(m.w)[0];
  const Vec both = m.e.intermediate("both", std::vector{m.w}, {freeze(x), x})(m.w);
  m.e.residual("frozen", x - m.e.sample(m.A.id(), {}, {}, both[0], 0.0));
  m.e.residual("moving", m.e.sample(m.A.id(), {}, {}, both[1], 0.0), at(5));
  EXPECT_THAT(fault_of(m.e),
              AllOf(HasSubstr("model.lua:5: image 'A' is sampled"), Not(HasSubstr("faults"))));
}

TEST(Validation, FindsIntermediatesThatReadThemselves) {
  Model m;
  const auto first = m.e.intermediate("first", std::vector{m.w}, m.X(m.w)[0]);
  Energy::Data data = m.e.data();
  IndexTable& indices = data.graph.indices();
  const IndexId at_w = indices.intern(MultiIndex{m.w.affine()});
  data.intermediates[0].values[0] = data.graph.access(first.id(), at_w, 0);
  const auto energy = Energy::make(std::move(data));
  ASSERT_FALSE(energy);
  EXPECT_THAT(energy.error().what, HasSubstr("intermediate 'first' reads itself"));
}

TEST(Validation, ChecksExclusions) {
  Model m;
  m.e.exclude(m.X.id(), {m.h.domain()}, m.A(m.w, m.h));
  EXPECT_THAT(fault_of(m.e),
              AllOf(HasSubstr("the exclusion of 'X' is a number, not a condition"),
                    HasSubstr("the exclusion of 'X' is over the domains (h)"),
                    HasSubstr("depends on the domain 'w', which is none of its own (h)")));
}

TEST(Validation, WarnsOfUnusedInputs) {
  Model m;
  m.e.param("lambda", -1, ScalarType::Working, at(8));
  m.e.map("v", {m.W}, {m.H}, -1, false, at(9));
  const LogCapture log;
  ASSERT_TRUE(std::move(m.e).build());
  ASSERT_EQ(log.records().size(), 1U);
  EXPECT_EQ(log.records()[0].text,
            "model.lua:8: param 'lambda', sparse map 'v' are used by no residual");
}

// The warnings about a residual over two points of one dim.
std::vector<std::string> warnings_of_pairs(const std::function<Expr(EnergyBuilder&)>& residual) {
  EnergyBuilder e("pairs");
  e.residual("r", residual(e), at(4));
  const LogCapture log;
  EXPECT_TRUE(std::move(e).build());
  std::vector<std::string> texts;
  for (const auto& record : log.records()) texts.push_back(record.text);
  return texts;
}

TEST(Validation, WarnsOfAllPairsThatNobodyAskedFor) {
  const auto at_two = [](bool is_one_field, auto&& combine) {
    return [=](EnergyBuilder& e) -> Expr {
      const DimId N = e.dim("N");
      const auto X = e.unknown("X", {N}), A = e.array("A", {N});
      const auto n = e.domain(N), other = e.domain(N);
      return combine(e, X(n), is_one_field ? X(other) : A(other), n, other);
    };
  };
  const auto difference = [](EnergyBuilder&, const Vec& a, const Vec& b, const IndexExpr&,
                             const IndexExpr&) { return a[0] - b[0]; };
  EXPECT_THAT(
      warnings_of_pairs(at_two(false, difference)),
      Contains(AllOf(HasSubstr("model.lua:4: residual group 'r' exists for each pair of (n) "
                               "and (n2)"),
                     HasSubstr("each N() makes a new loop variable"))));
  EXPECT_THAT(warnings_of_pairs(at_two(true, difference)), Not(Contains(HasSubstr("each pair"))));
  const auto ordered = [](EnergyBuilder& e, const Vec& a, const Vec& b, const IndexExpr& n,
                          const IndexExpr& other) {
    return select(e.value_of(n) < e.value_of(other), a[0] - b[0], 0);
  };
  EXPECT_THAT(warnings_of_pairs(at_two(false, ordered)), IsEmpty());
}

TEST(Validation, WarnsOfExclusionsThatReadUnknowns) {
  Model m;
  const LogCapture log;
  m.e.exclude(m.X.id(), {m.w.domain()}, m.X(m.w)[0] < 0, at(5));
  ASSERT_EQ(log.records().size(), 1U);
  EXPECT_THAT(log.records()[0].text,
              AllOf(HasSubstr("model.lua:5"), HasSubstr("where a solve starts")));
}

}  // namespace
}  // namespace thallo
