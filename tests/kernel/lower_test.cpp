// What plans make of the kernels of a small energy.

#include "core/kernel/lower.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/kernel/code_print.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/kernel_print.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/program_print.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using testing::AllOf, testing::Contains, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty,
    testing::IsSupersetOf, testing::Not, testing::SizeIs;

class LoweredDifferences : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("differences");
    const DimId W = e.dim("W");
    const auto X = e.unknown("X", {W});
    const IndexExpr x = e.domain(W, "x");
    e.residual("r", X(x) * X(x) - X(x + 1));
    return test::build(std::move(e));
  }

  KernelProgram lower() const { return make_program(energy_, plan_, {}); }

  void decide_block(const std::string& role, std::int64_t threads, Properties others = {}) {
    others.set("threads", threads);
    test::decide_block(plan_, energy_, "r." + role, std::move(others));
  }

  static std::vector<std::string> applied(const KernelProgram& program) {
    std::vector<std::string> labels;
    for (const Step& step : program.steps(Phase::Apply)) {
      if (const auto* product = std::get_if<MultiplyMatrix>(&step)) {
        labels.push_back(label_of(program, *product));
      } else {
        labels.push_back(program.kernels[std::get<LaunchKernel>(step).kernel].label);
      }
    }
    return labels;
  }

  Energy energy_ = make_energy();
  Plan plan_ = default_plan(energy_);
  Part& part_ = plan_.parts.front();
};

TEST_F(LoweredDifferences, HaveOneKernelOrTwoWithAStoredProductBetween) {
  EXPECT_THAT(applied(lower()), ElementsAre("apply_jtjp [r]"));
  part_.jtjp = ComputeAt::Output;
  EXPECT_THAT(applied(lower()), ElementsAre("gather_jtjp [r]"));
  part_.strategy = Strategy::StoredJp;
  EXPECT_THAT(applied(lower()), ElementsAre("apply_jp [r]", "apply_jt [r]"));
  part_.jt = ComputeAt::Output;
  EXPECT_THAT(applied(lower()), ElementsAre("apply_jp [r]", "gather_jt [r]"));
}

TEST_F(LoweredDifferences, StoreWhatIsNoConstantOfJOrOneTriangleOfJtJ) {
  part_.strategy = Strategy::StoredJ;
  KernelProgram program = lower();
  // 2 X(x); the derivative by X(x + 1) is -1 everywhere.
  EXPECT_EQ(program.buffers[program.find_buffer("J.r")].fields.size(), 1U);
  part_.strategy = Strategy::StoredJtJ;
  program = lower();
  // The diagonal and one of the two next to it.
  EXPECT_EQ(program.buffers[program.find_buffer("JtJ.r")].fields.size(), 2U);
  EXPECT_THAT(applied(program), ElementsAre("apply_jtj [r]"));
  part_.jtj_format = StorageFormat::Dense;
  plan_.parts.push_back(part_);
  program = lower();
  EXPECT_EQ(program.buffers[program.dense_jtj.value()].fields.size(), 1U);
  EXPECT_THAT(applied(program), ElementsAre("symv JtJ", "dot"));
  EXPECT_EQ(std::ranges::count(program.kernels, "jtf_jtj", &Kernel::role), 2);
  EXPECT_EQ(std::ranges::count(program.kernels, "dense_halves", &Kernel::role), 1);
}

TEST_F(LoweredDifferences, FillADenseJtJWhereTheyComputeJtF) {
  part_.strategy = Strategy::StoredJtJ;
  part_.jtj_format = StorageFormat::Dense;
  const auto linearized = [&] {
    std::vector<std::string> roles;
    for (const Kernel& kernel : lower().kernels) {
      if (kernel.part_role == Role::JtF || kernel.part_role == Role::FillJtJ)
        roles.push_back(kernel.role);
    }
    return roles;
  };
  EXPECT_THAT(linearized(), ElementsAre("jtf_jtj"));
  decide_block("jtf", 64);
  EXPECT_THAT(linearized(), ElementsAre("jtf_jtj")) << "the other goes with it";
  decide_block("fill_jtj", 64);
  EXPECT_THAT(linearized(), ElementsAre("jtf_jtj"));
  plan_.extensions.pop_back();
  decide_block("fill_jtj", 128);
  EXPECT_THAT(linearized(), ElementsAre("jtf", "dense_jtj")) << "told apart";
  plan_.extensions.clear();
  part_.jtf = ComputeAt::Output;
  EXPECT_THAT(linearized(), ElementsAre("gather_jtf", "dense_jtj"));
}

TEST_F(LoweredDifferences, MultiplyMatricesByLibraryAndSquareADenseJ) {
  part_.strategy = Strategy::StoredJ;
  part_.j_format = StorageFormat::Csr;
  EXPECT_THAT(applied(lower()), ElementsAre("spmv J.r", "spmv transposed J.r", "dot"));
  part_.j_format = StorageFormat::Dense;
  EXPECT_THAT(applied(lower()), ElementsAre("gemv J.r", "gemv transposed J.r", "dot"));
  part_.strategy = Strategy::StoredJtJ;
  part_.jtj_format = StorageFormat::Csr;
  EXPECT_THAT(applied(lower()), ElementsAre("spmv JtJ.r", "dot"));
  part_.jtj_format = StorageFormat::Blocks;
  EXPECT_THAT(applied(lower()), ElementsAre("apply_block_jtj [r]"));
  part_.strategy = Strategy::StoredJtJOfStoredJ;
  part_.j_format = part_.jtj_format = StorageFormat::Dense;
  const KernelProgram program = lower();
  EXPECT_THAT(applied(program), ElementsAre("symv JtJ", "dot"));
  const std::vector<Step>& steps = program.steps(Phase::Linearize);
  EXPECT_EQ(std::ranges::count_if(
                steps, [](const Step& step) { return std::holds_alternative<AddGram>(step); }),
            1);
  EXPECT_EQ(std::ranges::count(program.kernels, "dense_halves", &Kernel::role), 0);
}

TEST_F(LoweredDifferences, LeaveTheShareOfOtherKernelsInPApToTheLast) {
  part_.strategy = Strategy::StoredJtJ;
  part_.jtj_format = StorageFormat::Dense;
  plan_.parts.push_back(default_plan(energy_).parts.front());
  const KernelProgram program = lower();
  EXPECT_THAT(applied(program), ElementsAre("apply_jtjp [r]", "symv JtJ", "dot"));
  int num_reductions = 0;
  for (const Kernel& kernel : program.kernels) {
    for (const Section& section : kernel.sections) {
      for (const Statement& statement : section.body) {
        const auto* reduce = std::get_if<Reduce>(&statement.node);
        if (reduce == nullptr || reduce->slot != static_cast<int>(StateSlot::PAp)) continue;
        ++num_reductions;
        EXPECT_EQ(kernel.role, "dot");
      }
    }
  }
  EXPECT_EQ(num_reductions, 1);
}

// Where entries are at no fixed offsets.
TEST(StructuredJtJ, IsAMatrixThatAKernelMultipliesUnlessAPartAsksForTheLibrary) {
  EnergyBuilder e("shared");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W});
  const IndexExpr x = e.domain(W, "x");
  const auto to = e.map("to", {W}, {W});
  e.residual("r", X(x) - X(to(x)));
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.parts.front().strategy = Strategy::StoredJtJ;
  const auto roles = [&] {
    std::vector<std::string> result;
    for (const Kernel& kernel : make_program(energy, plan, {}).kernels)
      result.push_back(kernel.role);
    return result;
  };
  EXPECT_THAT(roles(), Contains("dense_product"));
  EXPECT_THAT(roles(), Not(Contains("dot")));
  plan.parts.push_back(plan.parts.front());
  plan.parts.back().jtj_format = StorageFormat::Dense;
  EXPECT_THAT(roles(), Not(Contains("dense_product")));
  EXPECT_THAT(roles(), Contains("dot"));
}

TEST_F(LoweredDifferences, RunInBlocksOfTheSizeThatIsChosenForTheRole) {
  decide_block("jtjp", 64);
  KernelProgram program = lower();
  const auto bounds = [&](const std::string& label) {
    const auto kernel = std::ranges::find(program.kernels, label, &Kernel::label);
    const std::string text = emit(program, KernelGenerator(program).generate(*kernel),
                                  {.dialect = Dialect::Cuda, .block_size = 256});
    const std::size_t begin = text.find("__launch_bounds__(");
    return text.substr(begin, text.find(')', begin) + 1 - begin);
  };
  EXPECT_EQ(bounds("apply_jtjp [r]"), "__launch_bounds__(64)");
  EXPECT_EQ(bounds("cost [r]"), "__launch_bounds__(256)");
  EXPECT_EQ(bounds("direction"), "__launch_bounds__(256)");
  // Registers for six blocks of 256.
  decide_block("jtjp", 256, {{"resident", std::int64_t{1536}}});
  program = lower();
  EXPECT_EQ(bounds("apply_jtjp [r]"), "__launch_bounds__(256, 6)");
}

TEST_F(LoweredDifferences, ComputeRowAfterRowInAThreadWhereThatIsChosen) {
  const auto text_of = [&](int rows) {
    plan_.extensions.clear();
    decide_block("jtf", 128, {{"rows", std::int64_t{rows}}});
    KernelProgram program = lower();
    const auto kernel = std::ranges::find(program.kernels, "jtf", &Kernel::role);
    return emit(program, KernelGenerator(program).generate(*kernel), {.dialect = Dialect::Cuda});
  };
  EXPECT_THAT(text_of(4), HasSubstr("point += stride"));
  EXPECT_EQ(text_of(2), text_of(4)) << "how many is said at the launch";
  EXPECT_THAT(text_of(1), Not(HasSubstr("stride")));
  EXPECT_EQ(text_of(1), text_of(0));
}

// Residuals over pixels and over edges, both of one unknown over the pixels.
class LoweredParts : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("parts");
    const DimId W = e.dim("W"), E = e.dim("E");
    const auto X = e.unknown("X", {W});
    const auto from = e.map("from", {E}, {W});
    const IndexExpr x = e.domain(W, "x"), edge = e.domain(E, "e");
    e.residual("fit", X(x) - 1);
    e.residual("smooth", X(x) - X(x + 1));
    e.residual("edges", X(from(edge)) * X(from(edge)));
    return test::build(std::move(e));
  }

  Plan plan_where(const std::vector<ComputeAt>& where) const {
    Plan plan = default_plan(energy_);
    for (std::size_t i = 0; i < where.size(); ++i) plan.parts[i].jtjp = where[i];
    return plan;
  }
  std::vector<std::string> applied(const Plan& plan) const {
    const KernelProgram program = make_program(energy_, plan, {});
    std::vector<std::string> labels;
    for (const Step& step : program.steps(Phase::Apply))
      labels.push_back(program.kernels[std::get<LaunchKernel>(step).kernel].label);
    return labels;
  }
  std::vector<std::string> gathered(const std::vector<ComputeAt>& where) const {
    return applied(plan_where(where));
  }

  Energy energy_ = make_energy();
};

TEST_F(LoweredParts, AreGatheredByOneKernelOverDifferentDomainsAlone) {
  EXPECT_THAT(gathered({ComputeAt::Output, ComputeAt::Residual, ComputeAt::Output}),
              ElementsAre("gather_jtjp [fit, edges]", "apply_jtjp [smooth]"));
  EXPECT_THAT(gathered({ComputeAt::Output, ComputeAt::Output, ComputeAt::Output}),
              ElementsAre("gather_jtjp [fit]", "gather_jtjp [smooth, edges]"));
}

TEST_F(LoweredParts, AreGatheredByOneKernelOnlyIfTheirShapesAreTheSame) {
  Plan plan = plan_where({ComputeAt::Output, ComputeAt::Residual, ComputeAt::Output});
  const auto shape = [&](const char* role, std::int64_t threads) {
    test::decide_block(plan, energy_, role, {{"threads", threads}});
  };
  shape("edges.jtjp", 64);
  EXPECT_THAT(applied(plan),
              ElementsAre("gather_jtjp [fit]", "gather_jtjp [edges]", "apply_jtjp [smooth]"));
  shape("fit.jtjp", 64);
  EXPECT_THAT(applied(plan), ElementsAre("gather_jtjp [fit, edges]", "apply_jtjp [smooth]"));
  const KernelProgram program = make_program(energy_, plan, {});
  const auto both = std::ranges::find(program.kernels, "gather_jtjp [fit, edges]", &Kernel::label);
  EXPECT_EQ(both->shape.threads_per_block, 64);
  plan.extensions.pop_back();
  shape("fit.jtjp", 128);
  EXPECT_THAT(applied(plan), Contains("gather_jtjp [edges]")) << "told apart";
}

TEST_F(LoweredParts, AreGatheredByOneKernelHoweverTheOthersOfThemAddUp) {
  Plan plan = plan_where({ComputeAt::Output, ComputeAt::Residual, ComputeAt::Output});
  test::add_lane_by_lane(plan, energy_, "edges");
  EXPECT_FALSE(plan.extensions.empty()) << "of jtf";
  EXPECT_THAT(applied(plan), ElementsAre("gather_jtjp [fit, edges]", "apply_jtjp [smooth]"));
}

TEST_F(LoweredParts, AddInWarpsUnlessTheScheduleSaysNo) {
  Plan plan = default_plan(energy_);
  const auto text_of = [&](const char* label) {
    KernelProgram program = make_program(energy_, plan, {});
    const auto kernel = std::ranges::find(program.kernels, label, &Kernel::label);
    return emit(program, KernelGenerator(program).generate(*kernel), {.dialect = Dialect::Cuda});
  };
  EXPECT_THAT(text_of("jtf [edges]"), HasSubstr("add_in_warp("));
  const std::string cost = text_of("cost [edges]");
  test::add_lane_by_lane(plan, energy_, "edges");
  EXPECT_THAT(text_of("jtf [edges]"), AllOf(HasSubstr("atomicAdd("), Not(HasSubstr("in_warp"))));
  EXPECT_EQ(text_of("cost [edges]"), cost);
  for (const Kernel& kernel : make_program(energy_, plan, {}).kernels) {
    const bool adds = kernel.part == "edges" && kernel.part_role != Role::Cost;
    EXPECT_EQ(kernel.aggregates_in_warps, !adds) << kernel.label;
  }
  plan = default_plan(energy_);
  Part& edges = plan.parts.back();
  edges.jtf = ComputeAt::Output;
  edges.strategy = Strategy::StoredJ;
  edges.j_format = StorageFormat::Dense;
  test::add_lane_by_lane(plan, energy_, "edges");
  for (const Kernel& kernel : make_program(energy_, plan, {}).kernels)
    EXPECT_EQ(kernel.aggregates_in_warps, kernel.role != "fill_dense_j") << kernel.label;
}

// Residuals that read two spaces of unknowns, and a prior of each.
class LoweredSpaces : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("spaces");
    const DimId C = e.dim("C"), P = e.dim("P"), O = e.dim("O");
    const auto camera = e.unknown("camera", {C});
    const auto point = e.unknown("point", {P});
    const auto camera_of = e.map("camera_of", {O}, {C}), point_of = e.map("point_of", {O}, {P});
    const IndexExpr o = e.domain(O, "o"), c = e.domain(C, "c"), p = e.domain(P, "p");
    e.residual("seen", camera(camera_of(o)) * point(point_of(o)) - 1);
    e.residual("camera_prior", camera(c) - 1);
    e.residual("point_prior", point(p) - 1);
    return test::build(std::move(e));
  }

  static std::vector<std::string> labels(const KernelProgram& program, Phase phase) {
    std::vector<std::string> result;
    for (const Step& step : program.steps(phase)) {
      const auto* launch = std::get_if<LaunchKernel>(&step);
      if (launch != nullptr) result.push_back(program.kernels[launch->kernel].label);
    }
    return result;
  }
  // Those that add to p.Ap.
  static std::vector<std::string> counting(const KernelProgram& program) {
    std::vector<std::string> result;
    for (const Kernel& kernel : program.kernels) {
      const std::string text = to_string(program, program.graph, kernel);
      if (text.find("state.PAp sum=") != std::string::npos) result.push_back(kernel.label);
    }
    return result;
  }

  Energy energy_ = make_energy();
  Plan plan_ = default_plan(energy_);
  Part& seen_ = *find_part(plan_, "seen");
  const ComputeAt at_cameras_ = ComputeAt::output_of({0});
  const ComputeAt at_points_ = ComputeAt::output_of({1});
};

TEST_F(LoweredSpaces, HaveAKernelThatGathersAndOneThatScattersAndCounts) {
  seen_.jtjp = at_points_;
  KernelProgram program = make_program(energy_, plan_, {});
  EXPECT_THAT(labels(program, Phase::Apply),
              ElementsAre("gather_jtjp [seen]", "apply_jtjp [seen]", "apply_jtjp [camera_prior]",
                          "apply_jtjp [point_prior]"));
  EXPECT_THAT(counting(program), ElementsAre("apply_jtjp [seen]", "apply_jtjp [camera_prior]",
                                             "apply_jtjp [point_prior]"));
  EXPECT_EQ(program.inverses.size(), 1U) << "of the map to points alone";
  seen_.strategy = Strategy::StoredJp;
  seen_.jt = at_cameras_;
  program = make_program(energy_, plan_, {});
  EXPECT_THAT(labels(program, Phase::Apply),
              ElementsAre("apply_jp [seen]", "gather_jt [seen]", "apply_jt [seen]",
                          "apply_jtjp [camera_prior]", "apply_jtjp [point_prior]"));
  EXPECT_THAT(counting(program), ElementsAre("apply_jp [seen]", "apply_jtjp [camera_prior]",
                                             "apply_jtjp [point_prior]"));
}

// What gathers everywhere counts its sums, so that it shares no kernel with what does not.
// A piece of a part may read what is scattered to alone.
TEST_F(LoweredSpaces, StartTheProductBeforeAnythingScatters) {
  seen_.jtjp = at_points_;
  find_part(plan_, "point_prior")->jtjp = ComputeAt::Output;
  EXPECT_THAT(labels(make_program(energy_, plan_, {}), Phase::Apply),
              ElementsAre("gather_jtjp [seen]", "gather_jtjp [point_prior]", "apply_jtjp [seen]",
                          "apply_jtjp [camera_prior]"));
  seen_.jtf = at_points_;
  EXPECT_THAT(labels(make_program(energy_, plan_, {}), Phase::Linearize),
              IsSupersetOf({"gather_jtf [seen]", "jtf [seen]"}));
}

TEST_F(LoweredSpaces, SumUpTheProductApartOnlyWhereKeptRowsAreGathered) {
  ProgramOptions options{.preconditioner = block_jacobi_preconditioner(),
                         .linear_solver = schur_pcg_solver(),
                         .eliminated = energy_.find_field("point")};
  seen_.jtjp = at_points_;
  EXPECT_THAT(labels(make_program(energy_, plan_, options), Phase::Apply),
              ElementsAre("eliminate [seen]", "apply_jtjp [seen]", "apply_jtjp [camera_prior]",
                          "apply_jtjp [point_prior]"));
  seen_.jtjp = at_cameras_;
  EXPECT_THAT(labels(make_program(energy_, plan_, options), Phase::Apply),
              AllOf(Contains("gather_jtjp [seen]"), Contains("dot")));
}

// An intermediate made of a Sum, another one that reads it, and residuals that read both beside it.
class LoweredSumOfAnIntermediate : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("blurred");
    const DimId N = e.dim("N"), K = e.dim("K");
    const auto X = e.unknown("X", {N});
    const auto T = e.array("T", {K});
    const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
    const Expr sum = e.sum({k}, T(k) * X(n + k));
    e.name_sum(e.id_of(sum), "blur");
    const auto scaled = e.intermediate("scaled", std::vector{n}, sum * X(n));
    const auto wave = e.intermediate("wave", std::vector{n}, sin(scaled(n)));
    e.residual("r", {scaled(n) + scaled(n + 1), wave(n) * X(n)});
    return test::build(std::move(e));
  }

  KernelProgram lower(bool is_parallel) {
    plan_.sums.at(0).is_parallel = is_parallel;
    return make_program(energy_, plan_, {});
  }

  static std::vector<std::string> launched(const KernelProgram& program, Phase phase) {
    std::vector<std::string> labels;
    for (const Step& step : program.steps(phase)) {
      if (const auto* launch = std::get_if<LaunchKernel>(&step))
        labels.push_back(program.kernels[launch->kernel].label);
    }
    return labels;
  }

  // The kernels of which every thread adds up the points of the Sum.
  static std::vector<std::string> adding_up(KernelProgram& program) {
    std::vector<std::string> labels;
    for (const Kernel& kernel : program.kernels) {
      const std::string text = to_string(program, KernelGenerator(program).generate(kernel));
      if (text.find(" summing ") != std::string::npos) labels.push_back(kernel.label);
    }
    return labels;
  }

  Energy energy_ = make_energy();
  Plan plan_ = default_plan(energy_);
};

TEST_F(LoweredSumOfAnIntermediate, IsOneOfThePlan) {
  ASSERT_EQ(plan_.sums.size(), 1U);
  EXPECT_EQ(plan_.sums[0].name, "blur");
  EXPECT_FALSE(plan_.sums[0].is_parallel);
  EXPECT_THAT(launched(lower(false), Phase::Values), IsEmpty());
}

TEST_F(LoweredSumOfAnIntermediate, IsStoredBeforeWhatReadsIt) {
  plan_.intermediates = {{.value = true}, {.value = true}};
  const KernelProgram program = lower(true);
  for (const Phase phase : {Phase::Values, Phase::TrialValues}) {
    EXPECT_THAT(launched(program, phase),
                ElementsAre("store_sum [blur]", "store_values [scaled]", "store_values [wave]"));
  }
}

TEST_F(LoweredSumOfAnIntermediate, IsReadWhereTheIntermediateIsRecomputed) {
  KernelProgram serial = lower(false), parallel = lower(true);
  EXPECT_THAT(adding_up(serial), Contains("cost [r]"));
  EXPECT_THAT(adding_up(serial), Contains("apply_jtjp [r]"));
  EXPECT_THAT(adding_up(parallel), IsEmpty());
  EXPECT_THAT(launched(parallel, Phase::Apply), ElementsAre("apply_sum [blur]", "apply_jtjp [r]"));
  EXPECT_EQ(std::ranges::count(parallel.kernels, "store_sum", &Kernel::role), 1);
}

TEST_F(LoweredSumOfAnIntermediate, GivesStoredDerivativesThatEndAtIt) {
  plan_.intermediates = {{.gradient = true}, {.value = true, .gradient = true}};
  plan_.parts[0].strategy = Strategy::StoredJp;
  KernelProgram program = lower(true);
  EXPECT_THAT(launched(program, Phase::Linearize),
              IsSupersetOf({"store_gradient [scaled]", "store_gradient [wave]"}));
  EXPECT_THAT(launched(program, Phase::Apply),
              ElementsAre("apply_sum [blur]", "apply_jp [r]", "apply_jt [r]"));
  EXPECT_THAT(adding_up(program), IsEmpty());
  plan_.sums[0].is_parallel = false;
  program = lower(false);
  EXPECT_THAT(adding_up(program), Contains("apply_jp [r]"));
}

TEST_F(LoweredSumOfAnIntermediate, HasNoJpWhereNothingDependsOnIt) {
  EnergyBuilder e("weighted");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  e.residual("r", X(n) * e.sum({k}, freeze(X(n + k))));
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.sums.at(0).is_parallel = true;
  const KernelProgram program = make_program(energy, plan, {});
  EXPECT_THAT(launched(program, Phase::Values), SizeIs(1));
  EXPECT_THAT(launched(program, Phase::Apply), ElementsAre("apply_jtjp [r]"));
}

// What the energy calls things is its own matter.
TEST(StoredThings, AreApartFromTheSolversAndFromEachOther) {
  EnergyBuilder e("named");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  std::vector<Expr> residuals;
  for (const char* name : {"state", "b", "fit"}) {
    residuals.push_back(e.sum({k}, X(n + k) * X(n - static_cast<int>(residuals.size()))));
    e.name_sum(e.id_of(residuals.back()), name);
  }
  const auto matrix = e.intermediate("JtJ", std::vector{n}, sin(X(n)));
  residuals.push_back(matrix(n) * X(n));
  e.residual("fit", residuals);
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  ASSERT_EQ(plan.sums.size(), 3U);
  for (PlannedSum& sum : plan.sums) sum.is_parallel = true;
  plan.intermediates = {{.value = true}};
  for (const auto& [strategy, format] : {std::pair(Strategy::StoredJp, StorageFormat::Structured),
                                         std::pair(Strategy::StoredJtJ, StorageFormat::Dense)}) {
    plan.parts[0].strategy = strategy;
    plan.parts[0].jtj_format = format;
    const KernelProgram program = make_program(energy, plan, {});
    std::set<std::string> names;
    std::set<std::size_t> cleared;
    for (const BufferDecl& buffer : program.buffers)
      EXPECT_TRUE(names.insert(buffer.name).second) << buffer.name;
    for (const Step& step : program.steps(Phase::Values)) {
      if (const auto* clear = std::get_if<ClearBuffer>(&step)) cleared.insert(clear->buffer);
    }
    EXPECT_EQ(cleared.size(), 3U);
    for (const std::size_t buffer : cleared)
      EXPECT_EQ(program.buffers[buffer].kind, BufferKind::Values) << program.buffers[buffer].name;
  }
}

// They are decided before anything is stored.
TEST(Masks, ReadNothingThatIsStored) {
  EnergyBuilder e("masked");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  const auto blurred = e.intermediate("blurred", std::vector{n}, e.sum({k}, X(n + k) * X(n)));
  e.residual("r", blurred(n) - 1.0);
  e.exclude(X, {n}, blurred(n) < 0.5);
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.intermediates = {{.value = true}};
  plan.sums.at(0).is_parallel = true;
  KernelProgram program = make_program(energy, plan, {});
  const auto masks = std::ranges::find(program.kernels, "masks", &Kernel::role);
  const std::string text = to_string(program, KernelGenerator(program).generate(*masks));
  EXPECT_THAT(text, HasSubstr(" summing "));
  EXPECT_THAT(text, Not(HasSubstr("blurred")));
}

TEST(StoredIntermediates, StoreEqualDerivativesOnce) {
  EnergyBuilder e("added");
  const DimId W = e.dim("W");
  const auto A = e.unknown("A", {W});
  const IndexExpr x = e.domain(W, "x");
  const auto wave = e.intermediate("wave", std::vector{x}, sin(A(x) + A(x + 1)));
  e.residual("r", wave(x) * A(x));
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.intermediates = {{.gradient = true}};
  const KernelProgram program = make_program(energy, plan, {});
  const BufferDecl& stored = program.buffers[program.find_buffer("gradient.wave")];
  ASSERT_EQ(stored.fields.size(), 1U);
  EXPECT_EQ(program.field(stored.fields[0]).channels, 1);
}

TEST(StoredIntermediates, ServeTheirOwnDerivatives) {
  EnergyBuilder e("turned");
  const DimId W = e.dim("W");
  const auto A = e.unknown("A", {W});
  const IndexExpr x = e.domain(W, "x");
  const auto turn = e.intermediate("turn", std::vector{x}, Vec{cos(A(x)), sin(A(x))});
  e.residual("r", turn(x)[0] + 2 * turn(x + 1)[1]);
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.intermediates.front().value = true;
  KernelProgram program = make_program(energy, plan, {});
  const auto apply = std::ranges::find(program.kernels, "apply_jtjp [r]", &Kernel::label);
  const std::string text =
      emit(program, KernelGenerator(program).generate(*apply), {.dialect = Dialect::C});
  EXPECT_THAT(text, Not(HasSubstr("sin")));
  EXPECT_THAT(text, Not(HasSubstr("cos")));
  // Both derivatives are values up to a sign: with the values stored there is nothing to add.
  plan.intermediates.front().gradient = true;
  EXPECT_EQ(
      std::ranges::count(make_program(energy, plan, {}).kernels, "store_gradient", &Kernel::role),
      0);
}

// The text of each of the solver's kernels that no plan changes, by role.
std::map<std::string, std::string> solver_texts(const Energy& energy, const Plan& plan) {
  KernelProgram program = make_program(
      energy, plan, {SolverKind::LevenbergMarquardt, block_jacobi_preconditioner(), pcg_solver()});
  const std::set<std::string> plan_independent = {"save_scale", "damp", "update", "reset_update",
                                                  "retract"};
  std::map<std::string, std::string> texts;
  const std::vector<Kernel> kernels = program.kernels;
  for (const Kernel& kernel : kernels) {
    if (!plan_independent.contains(kernel.role)) continue;
    texts[kernel.role] = emit(program, KernelGenerator(program).generate(kernel),
                              {.dialect = Dialect::Cuda, .block_size = 256});
  }
  return texts;
}

TEST(SolverKernels, AreOneTextUnderEverySchedule) {
  EnergyBuilder e("shaded");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W}, 2), Y = e.unknown("Y", {W});
  const IndexExpr x = e.domain(W, "x");
  const auto shade = e.intermediate("shade", std::vector{x}, X(x)[0] * Y(x));
  e.residual("r", shade(x) - X(x + 1)[1]);
  const Energy energy = test::build(std::move(e));
  const Plan plain = default_plan(energy);
  Plan other = plain;
  other.intermediates.front() = {.value = true, .gradient = true};
  other.parts.front().strategy = Strategy::StoredJ;
  const auto texts = solver_texts(energy, plain);
  EXPECT_EQ(texts.size(), 5U);
  EXPECT_EQ(texts, solver_texts(energy, other));
}

// Kernels that reach the solver's vectors are other code then, the rest is the same.
// The names of the fields that kernels of the energy add to, and of the buffers that are cleared,
// where JtF and the diagonal of JtJ are computed.
std::set<std::string> linearized(const Energy& energy, const Preconditioner* preconditioner) {
  KernelProgram program = make_program(
      energy, default_plan(energy), {SolverKind::LevenbergMarquardt, preconditioner, pcg_solver()});
  std::set<std::string> names;
  for (const Step& step : program.steps(Phase::Linearize)) {
    if (const auto* clear = std::get_if<ClearBuffer>(&step)) {
      names.insert(program.buffers[clear->buffer].name);
    } else if (const auto* launch = std::get_if<LaunchKernel>(&step)) {
      const Kernel kernel = program.kernels[launch->kernel];
      for (const FieldId field : KernelGenerator(program).generate(kernel).scattered)
        names.insert(program.field(field).name);
    }
  }
  return names;
}

// An unknown without a block has it in d, as all have it without blocks.
TEST(DiagonalOfJtJ, IsAddedUpOnceAndTakenOutOfBlocks) {
  EnergyBuilder e("pairs");
  const DimId W = e.dim("W"), V = e.dim("V");
  const auto X = e.unknown("X", {W}, 2), Y = e.unknown("Y", {V}, max_block_channels + 1);
  const IndexExpr x = e.domain(W, "x"), v = e.domain(V, "v");
  e.residual("r", X(x)[0] * X(x)[1] - X(x + 1)[0]);
  e.residual("s", Y(v)[0] - 1);
  const Energy energy = test::build(std::move(e));
  EXPECT_THAT(linearized(energy, block_jacobi_preconditioner()),
              ElementsAre("b", "b.X", "b.Y", "blocks.0", "d", "d.Y"));
  EXPECT_THAT(linearized(energy, jacobi_preconditioner()),
              ElementsAre("b", "b.X", "b.Y", "d", "d.X", "d.Y"));
}

TEST(BlockedVectors, ChangeTheKeysOfTheKernelsThatReachThem) {
  EnergyBuilder e("points");
  const auto N = e.dim("N");
  const auto X = e.unknown("X", {N}, 3);
  const IndexExpr n = e.domain(N, "n");
  e.residual("near", X(n) - X(n + 1));
  const Energy energy = test::build(std::move(e));
  const auto keys = [&energy](VectorOrder order) {
    Plan plan = default_plan(energy);
    plan.vector_order = order;
    KernelProgram program = make_program(energy, plan, {});
    std::map<std::string, std::string> by_role;
    for (const Kernel& kernel : program.kernels) {
      const KernelCode code = KernelGenerator(program).generate(kernel);
      const std::string text = emit(program, code, {.dialect = Dialect::Cuda});
      by_role[kernel.role] = canonical_key(text, "sm_90").hex();
    }
    return by_role;
  };
  const auto plain = keys(VectorOrder::Plain), blocked = keys(VectorOrder::Blocked);
  for (const char* role : {"jtf", "apply_jtjp", "damp", "retract", "direction", "update"})
    EXPECT_NE(plain.at(role), blocked.at(role)) << role;
  // Those of the energy alone.
  for (const char* role : {"cost", "accept"}) EXPECT_EQ(plain.at(role), blocked.at(role)) << role;
}

TEST(BlockedVectors, AreRefusedWithDirectSolvers) {
  EnergyBuilder e("one");
  const DimId W = e.dim("W");
  e.residual("zero", e.unknown("x", {W})(e.domain(W)));
  const Energy energy = test::build(std::move(e));
  Plan plan;
  plan.vector_order = VectorOrder::Blocked;
  EXPECT_TRUE(check_program(energy, plan, {}));
  for (const LinearSolver* solver : {dense_solver(), sparse_cholesky_solver()}) {
    const auto refused = check_program(energy, plan, {.linear_solver = solver});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what,
                HasSubstr("use linear_solver pcg or r.vectors:layout(\"plain\")"));
  }
}

TEST_F(LoweredDifferences, KeepTheVectorsOfPcgInLess) {
  plan_.vector_type = ScalarType::Float;
  const auto kept_in_less = [](const KernelProgram& program) {
    std::set<std::string> names;
    for (const BufferDecl& buffer : program.buffers) {
      if (buffer.type != ScalarType::Float) continue;
      names.insert(buffer.name);
      for (const FieldId field : buffer.fields)
        EXPECT_EQ(program.field(field).type, buffer.type) << buffer.name;
      EXPECT_EQ(program.field(buffer.flat).type, buffer.type) << buffer.name;
    }
    return names;
  };
  EXPECT_THAT(kept_in_less(lower()), ElementsAre("Ap", "p", "r", "x", "z"));
  const auto dense = make_program(energy_, plan_, {.linear_solver = dense_solver()});
  EXPECT_THAT(kept_in_less(dense), ElementsAre());
  EXPECT_THAT(to_string(lower()), HasSubstr("a scalar per unknown scalar in single precision"));
}

}  // namespace
}  // namespace thallo
