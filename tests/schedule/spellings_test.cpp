// The published spellings and the canonical ones mean the same, in schedule files and below the
// residuals of an energy.

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::read_below;
using test::read_file;
using test::text_of;

struct SpellingCase {
  const char* name;
  const char* written;    // in an energy text, with its own variables
  const char* in_file;    // by names alone
  const char* canonical;  // what is printed
};

void PrintTo(const SpellingCase& tested, std::ostream* stream) { *stream << tested.name; }

const SpellingCase Spellings[] = {
    {"nothing", "", "", ""},
    {"flag_of_j", "r.fit.J:set_materialize(true)", "r.fit:materializeJ()",
     "r.fit:strategy(\"[Jt][[J]p]\")\n"},
    {"flag_of_jtj", "r.fit.JtJ:set_materialize(true)", "r.fit.JtJ:materialize()",
     "r.fit:strategy(\"[JtJ]p\")\n"},
    {"flag_of_jp", "r.fit.Jp:set_materialize(true)", "r.fit:materializeJp(true)",
     "r.fit:strategy(\"Jt[Jp]\")\n"},
    {"flags_of_j_and_jtj", "r.fit.J:set_materialize(true) r.fit.JtJ:set_materialize(true)",
     "r.fit:materializeJtJ():materializeJ()", "r.fit:strategy(\"[[Jt][J]]p\")\n"},
    {"flags_of_j_and_jp", "r.fit.Jp:set_materialize(true) r.fit.J:set_materialize(true)",
     "r.fit:strategy(\"[Jt][[J]p]\")", "r.fit:strategy(\"[Jt][[J]p]\")\n"},
    {"flag_taken_back", "r.fit.J:set_materialize(true) r.fit.J:set_materialize(false)",
     "r.fit:materializeJ(false)", ""},
    {"strategy_after_flags", "r.fit.J:set_materialize(true) r.fit:strategy('JtJp')",
     "r.fit:materializeJp() r.fit:strategy('JtJp')", ""},
    {"flag_after_a_strategy", "r.fit:strategy('[JtJ]p') r.fit.J:set_materialize(true)",
     "r.fit:strategy('[JtJ]p'):materializeJ()", "r.fit:strategy(\"[[Jt][J]]p\")\n"},
    {"flag_that_a_strategy_says_too", "r.fit:strategy('[JtJ]p') r.fit.Jp:set_materialize(false)",
     "r.fit:strategy('[[Jt][J]]p'):materializeJ(false)", "r.fit:strategy(\"[JtJ]p\")\n"},
    {"conflict_taken_back", "r.fit:materializeJtJ():materializeJp():materializeJtJ(false)",
     "r.fit:materializeJp():materializeJtJ():strategy('Jt[Jp]')", "r.fit:strategy(\"Jt[Jp]\")\n"},
    {"output_of_jtjp", "r.fit:compute_at_output(true)", "r.fit.JtJp:compute_at_output()",
     "r.fit.JtJp:compute_at_output(true)\n"},
    {"output_of_jt", "r.fit:compute_at_output(true) r.fit.Jp:set_materialize(true)",
     "r.fit:strategy('Jt[Jp]') r.fit.JtJp:compute_at_output(true)",
     "r.fit:strategy(\"Jt[Jp]\")\nr.fit.Jt:compute_at_output(true)\n"},
    {"output_of_jtf", "r.fit.JtF:compute_at_output(true)", "r.fit.JtF:compute_at_output()",
     "r.fit.JtF:compute_at_output(true)\n"},
    {"order", "r.fit:reorder{y, x}", "r.fit:reorder(h, w)", "r.fit:reorder{h, w}\n"},
    {"order_of_some", "r.fit:reorder{y}", "r.fit:reorder{h}", "r.fit:reorder{h, w}\n"},
    {"order_taken_back", "r.fit:reorder{y, x}:clear_reorder()", "r.fit:reorder{w, h}", ""},
    {"order_of_one", "r.edge:reorder{e}", "r.edge:clear_reorder()", ""},
    {"merge", "r:merge(r.fit, r.near)", "r.near:split_merge{[1]='fit[1]'}",
     "r.near:split_merge{[1]=\"fit[1]\"}\n"},
    {"split", "r:split(r.near, 2, 3)", "r.near:split_merge{[2]='new'}",
     "r.near:split_merge{[2]=\"new\"}\n"},
    {"split_of_the_first", "r:split(r.near, 1)", "r.near:split_merge{[2]='new'}",
     "r.near:split_merge{[2]=\"new\"}\n"},
    {"full_split", "r:full_split(r.near)", "r.near:split_merge{[2]='new', [3]='new'}",
     "r.near:split_merge{[2]=\"new\"}\nr.near:split_merge{[3]=\"new\"}\n"},
    {"split_of_all", "r:split(r.near, 1, 3)", "r:full_split(r.fit)", ""},
    {"values", "shade:set_materialize(true)", "shade:materialize{value=true}",
     "shade:materialize{value=true, gradient=false}\n"},
    {"values_and_gradients", "shade:set_materialize(true) shade:set_gradient_materialize(true)",
     "shade:materialize()", "shade:materialize{value=true, gradient=true}\n"},
    {"sum", "blurred:parallelize()", "blurred:parallelize(true)", "blurred:parallelize(true)\n"},
    {"launch", "r.fit:block{threads=128, role='jtf'}", "r.fit:block{role='jtf', threads=128}",
     "r.fit:block{role=\"jtf\", threads=128}\n"},
    {"residency", "r.fit:block{resident=1536, threads=256, role='jtf'}",
     "r.fit:block{role='jtf', threads=256, resident=1536}",
     "r.fit:block{role=\"jtf\", threads=256, resident=1536}\n"},
    {"rows", "r.fit:block{rows=4, threads=256, role='jtf'}",
     "r.fit:block{role='jtf', threads=256, rows=4}",
     "r.fit:block{role=\"jtf\", threads=256, rows=4}\n"},
    {"tile", "r.fit:block{width=32, role='jtf', threads=256}",
     "r.fit:block{role='jtf', threads=256, width=32}",
     "r.fit:block{role=\"jtf\", threads=256, width=32}\n"},
    {"whole_shape", "r.fit:block{rows=2, role='jtf', resident=1024, threads=64}",
     "r.fit:block{role='jtf', threads=64, resident=1024, rows=2}",
     "r.fit:block{role=\"jtf\", threads=64, resident=1024, rows=2}\n"},
    {"default_launch", "r.fit:block{role='jtf'}", "r.fit:block{role='jtf'}", ""},
    {"team", "r.edge.JtJp:compute_at_output() r.edge:team{threads=8, role='jtjp', at='P'}",
     "r.edge.JtJp:compute_at_output() r.edge:team{role='jtjp', threads=8}",
     "r.edge.JtJp:compute_at_output(true)\n"
     "r.edge:team{role=\"jtjp\", at=\"P\", threads=8}\n"},
    {"team_of_a_block", "r.edge.JtF:compute_at_output() r.edge:team{role='jtf', threads='block'}",
     "r.edge.JtF:compute_at_output() r.edge:team{threads='block', role='jtf', at='P'}",
     "r.edge.JtF:compute_at_output(true)\n"
     "r.edge:team{role=\"jtf\", at=\"P\", threads=\"block\"}\n"},
    {"default_team", "r.edge.JtF:compute_at_output() r.edge:team{role='jtf'}",
     "r.edge.JtF:compute_at_output()", "r.edge.JtF:compute_at_output(true)\n"},
    {"aggregate", "r.edge:aggregate(false)", "r.edge:aggregate(false)",
     "r.edge:aggregate(false)\n"},
    {"aggregate_taken_back", "r.edge:aggregate(false):aggregate()", "r.edge:aggregate(true)", ""},
    {"assumed", "r.near:reorder{y} r.near.JtF:compute_at_output() r.fit:assume_schedule(r.near)",
     "r.fit:reorder{h} r.near:reorder{h} r.fit.JtF:compute_at_output() "
     "r.near.JtF:compute_at_output()",
     "r.fit.JtF:compute_at_output(true)\nr.near.JtF:compute_at_output(true)\n"
     "r.fit:reorder{h, w}\nr.near:reorder{h, w}\n"},
    {"assumed_and_replaced",
     "r.fit:compute_at_output() r.blur:assume_schedule(r.fit):compute_at_output(false)",
     "r.fit:compute_at_output() r.blur:assume_schedule(r.fit) r.blur:compute_at_output(false)",
     "r.fit.JtJp:compute_at_output(true)\n"},
    {"storage", "r.fit.JtJ:set_materialize(true):storage('dense')",
     "r.fit.JtJ:storage('dense') r.fit:strategy('[JtJ]p')",
     "r.fit:strategy(\"[JtJ]p\")\nr.fit.JtJ:storage(\"dense\")\n"},
    {"storage_of_both", "r.fit:materializeJ():materializeJtJ() r.fit.J:storage('csr')",
     "r.fit:strategy('[[Jt][J]]p'):set_sparseJ(true)",
     "r.fit:strategy(\"[[Jt][J]]p\")\nr.fit.J:storage(\"csr\")\n"},
    {"storage_as_it_is", "r.fit.J:set_materialize(true):storage('structured')",
     "r.fit:materializeJ():set_sparseJ(false)", "r.fit:strategy(\"[Jt][[J]p]\")\n"},
    {"sparse", "r.near.J:set_materialize(true):set_sparse(true)",
     "r.near:materializeJ():set_sparseJ()",
     "r.near:strategy(\"[Jt][[J]p]\")\nr.near.J:storage(\"csr\")\n"},
    {"sparse_taken_back", "r.near:materializeJ():set_sparseJ():set_sparseJ(false)",
     "r.near:materializeJ() r.near.J:set_sparse(true) r.near.J:set_sparse(false)",
     "r.near:strategy(\"[Jt][[J]p]\")\n"},
    {"sparse_taken_back_of_columns",
     "r.near:strategy('[[Jt][J]]p'):set_sparseJtJ(false) r.near.J:storage('dense')",
     "r.near:strategy('[[Jt][J]]p') r.near.J:storage('dense') r.near:set_sparseJtJ(false)",
     "r.near:strategy(\"[[Jt][J]]p\")\nr.near.J:storage(\"dense\")\n"},
    {"formats_that_agree",
     "r.near:strategy('[[Jt][J]]p'):set_sparseJtJ() r.near.J:storage('csr'):storage('csr')",
     "r.near:strategy('[[Jt][J]]p') r.near.J:storage('csr') r.near.JtJ:storage('csr')",
     "r.near:strategy(\"[[Jt][J]]p\")\nr.near.J:storage(\"csr\")\nr.near.JtJ:storage(\"csr\")\n"},
    {"precision", "r.near.J:set_materialize(true):precision('half') r.near.Jp:precision('working')",
     "r.near:materializeJ() r.near.J:precision('half')",
     "r.near:strategy(\"[Jt][[J]p]\")\nr.near.J:precision(\"half\")\n"},
    {"layout", "r.vectors:layout('blocked')", "r.vectors:layout('blocked')",
     "r.vectors:layout(\"blocked\")\n"},
    {"default_layout", "r.vectors:layout('plain')", "r.vectors:layout('plain')", ""},
    {"precision_of_vectors", "r.vectors:precision('single'):layout('blocked')",
     "r.vectors:precision('single') r.vectors:layout('blocked')",
     "r.vectors:layout(\"blocked\")\nr.vectors:precision(\"single\")\n"},
    {"hints", "V0:set_coherent(true) r.fit.J:set_sparse(false)",
     "V0:set_coherent(true) r.fit.J:set_sparse(false)", ""},
};

class ScheduleSpelling : public testing::TestWithParam<SpellingCase> {};

TEST_P(ScheduleSpelling, MeansTheCanonicalText) {
  const auto& [name, written, in_file, canonical] = GetParam();
  EXPECT_EQ(read_below(written), canonical);
  EXPECT_EQ(read_file(in_file), canonical);
  EXPECT_EQ(read_file(canonical), canonical);
}

// Only a schedule file names maps that may not be there.
TEST(SetCoherent, IsOfAMap) {
  EXPECT_EQ(read_file("V2:set_coherent(true)"),
            "test.sched:1:1: V2:set_coherent(true): there is no sparse map 'V2' (legal: V0, V1)");
  EXPECT_EQ(read_file("V0:set_coherent()"),
            "test.sched:1:1: V0:set_coherent(): takes true or false (legal: true, false)");
}

// `v:get(...)` gives the name of a Sum to the intermediate that stores it.
TEST(Parallelize, OfAnIntermediateNamesTheSumsThatItIsMadeOf) {
  const auto file = load_energy_text(R"(local N, K = Dims("N", "K")
    Inputs { X = Unknown(float, {N}), T = Array(float, {K}) }
    local n, k = N(), K()
    blurred = Sum({k}, T(k) * X(n + k))
    local r = Residuals { fit = blurred:get(n + 1) - 1 }
    blurred:parallelize())",
                                     "test.lua");
  ASSERT_TRUE(file) << file.error().message();
  const std::string sum = file->energy.sums().at(0).name;
  EXPECT_EQ(text_of(file->energy, file->schedule), sum + ":parallelize(true)\n");
  const auto mistaken = load_schedule_text("blurred:parallelize(true)", "test.sched");
  EXPECT_EQ(text_of(file->energy, *mistaken),
            "test.sched:1:1: blurred:parallelize(true): 'blurred' is an intermediate, made of the "
            "Sum " +
                sum + " (legal: " + sum + ")");
}

INSTANTIATE_TEST_SUITE_P(Texts, ScheduleSpelling, testing::ValuesIn(Spellings),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace thallo
