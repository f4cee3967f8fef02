#include "core/kernel/emit.h"

#include <gmock/gmock.h>

#include <bit>
#include <cstdlib>
#include <map>
#include <random>

#include "core/backend/cpu/compile.h"
#include "core/backend/interpreter/evaluate.h"
#include "core/kernel/memory_type.h"
#include "tests/kernel/hand_kernels.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr, testing::Not;

std::string emit_c(const test::HandDeclarations& hand, const KernelCode& code,
                   Precision precision = Precision::Float, int index_bits = 32) {
  return emit(hand.program, code, {.precision = precision, .index_bits = index_bits});
}

TEST(EmitC, AStencilReadsLikeItsFormula) {
  const test::StencilKernel kernel;
  EXPECT_EQ(emit_c(kernel.hand, kernel.code), R"(#include <math.h>
#include <stdbool.h>

typedef int idx_t;
typedef unsigned int uidx_t;

typedef struct {
  double* state;
  long long gate_slot;
  double gate_value;
  unsigned long long loop;
  const float* f0;
  double f1;
  float* f2;
  long long n0;
  long long n1;
  long long points0;
} Args;

static void section0(const Args* a, long long begin, long long end, double* partial) {
  const float* const restrict f0 = a->f0;
  float* const restrict f2 = a->f2;
  const double f1 = a->f1;
  const idx_t n0 = (idx_t)a->n0;
  long long rest = begin;
  idx_t i0 = (idx_t)(rest % n0);
  rest /= n0;
  idx_t i1 = (idx_t)rest;
  for (long long point = begin; point < end;) {
    const idx_t first = i0;
    const idx_t stop = end - point < n0 - first ? (idx_t)(first + (end - point)) : n0;
    const idx_t low = first;
    const idx_t last = n0 - 1 < stop ? n0 - 1 : stop;
    const idx_t high = last < low ? low : last;
#pragma omp simd
    for (i0 = low; i0 < high; ++i0) {
      const idx_t k0 = i0 + n0 * i1;
      f2[k0] = (float)f1 * (f0[i0 + 1 + n0 * i1] - f0[k0]) + 0.1f;
    }
    for (i0 = first == low ? high : first; i0 < stop; i0 = i0 + 1 == low ? high : i0 + 1) {
      const idx_t k0 = i0 + n0 * i1;
      const float t0 = ((uidx_t)(i0 + 1) < (uidx_t)n0 ? f0[i0 + 1 + n0 * i1] : 0.0f) - f0[k0];
      f2[k0] = (float)f1 * t0 + 0.1f;
    }
    point += stop - first;
    i0 = 0;
    ++i1;
  }
  (void)partial;
}

void smooth(const Args* a, long long section, long long begin, long long end,
    double* partial) {
  switch (section) {
    case 0: section0(a, begin, end, partial); break;
  }
}
)");
}

TEST(EmitC, AGraphKernelHasASectionForEachPartAndAnEpilogue) {
  const test::GraphKernel kernel;
  EXPECT_THAT(emit_c(kernel.hand, kernel.code), testing::EndsWith(R"(  const int* m0;
  long long n0;
  long long n1;
  long long points0;
  long long points1;
} Args;

enum { Stop = 0, Rz = 3, PAp = 4, Beta = 5 };

static void section0(const Args* a, long long begin, long long end, double* partial) {
  const float* const restrict f0 = a->f0;
  float* const restrict f1 = a->f1;
  const int* const restrict m0 = a->m0;
  double r0 = 0.0;
  for (idx_t i0 = (idx_t)begin; i0 < (idx_t)end; ++i0) {
    const idx_t k0 = m0[2 * i0];
    const idx_t k1 = m0[2 * i0 + 1];
    const float t0 = f0[2 * k0] - f0[2 * k1];
    f1[2 * k0] += t0;
    f1[2 * k1] -= t0;
    r0 += (double)(t0 * t0);
    const float t1 = f0[2 * k0 + 1] - f0[2 * k1 + 1];
    f1[2 * k0 + 1] += t1;
    f1[2 * k1 + 1] -= t1;
    r0 += (double)(t1 * t1);
  }
  partial[0] += r0;
}

static void section1(const Args* a, long long begin, long long end, double* partial) {
  const float* const restrict f0 = a->f0;
  float* const restrict f1 = a->f1;
  const float* const restrict f2 = a->f2;
  double r1 = 0.0;
  for (idx_t i0 = (idx_t)begin; i0 < (idx_t)end; ++i0) {
    const float t0 = f0[2 * i0];
    f1[2 * i0] += t0 / f2[2 * i0];
    const double s0 = (double)fabsf(t0);
    r1 = r1 < s0 ? s0 : r1;
    const float t1 = f0[2 * i0 + 1];
    f1[2 * i0 + 1] += t1 / f2[2 * i0 + 1];
    const double s1 = (double)fabsf(t1);
    r1 = r1 < s1 ? s1 : r1;
  }
  partial[1] = fmax(partial[1], r1);
}

void apply(const Args* a, long long section, long long begin, long long end,
    double* partial) {
  switch (section) {
    case 0: section0(a, begin, end, partial); break;
    case 1: section1(a, begin, end, partial); break;
  }
}

void apply_epilogue(const Args* a) {
  double* const restrict state = a->state;
  const double s0 = state[PAp];
  const double s1 = state[Rz];
  const double s2 = s0 / s1;
  state[Beta] = s2;
  state[PAp] = 0.0;
  state[Stop] = s2 < 1e-30 ? 1.0 : 0.0;
}
)"));
}

// out = (adds to it) sqrt(u) + 1 where u > 0, else 1.
std::string roots(bool adds) {
  test::HandDeclarations hand;
  const DimId n = hand.dim("N");
  const FieldId u = hand.field("u", {n});
  const FieldId out = hand.field("out", {n}, 1, FieldKind::Buffer);
  const DomainId i = hand.domain(n);
  test::HandBody body(hand, {i});
  const ValueId here = body.element({n}, {body.coordinate(i)});
  const ValueId value = body.load(u, here);
  body.begin_if(body.op(Op::Less, {body.constant(0), value}));
  const ValueId root = body.op(Op::Sqrt, {value});
  body.end_if({root});
  const ValueId sum = body.op(Op::Add, {root, body.constant(1)});
  adds ? body.add(out, here, sum) : body.store(out, here, sum);
  return emit_c(hand, test::finish_kernel(hand, "roots", {body}));
}

// Values that leave a branch are declared before it; 0 where the branch is not taken.
TEST(EmitC, BranchesLetValuesEscapeOrAreFlattenedInVectors) {
  EXPECT_THAT(roots(true), HasSubstr(R"(    const float t0 = f0[i0];
    float t1 = 0.0f;
    if (0.0f < t0) {
      t1 = sqrtf(t0);
    }
    f1[i0] += t1 + 1.0f;
)"));
  // In a loop that is to be vectorized they are computed everywhere, and then selected.
  EXPECT_THAT(roots(false), HasSubstr(R"(#pragma omp simd
  for (idx_t i0 = (idx_t)begin; i0 < (idx_t)end; ++i0) {
    const float t0 = f0[i0];
    const bool b0 = 0.0f < t0;
    const float t1 = sqrtf(t0);
    const float t2 = b0 ? t1 : 0.0f;
    f1[i0] = t2 + 1.0f;
  }
)"));
}

// What depends on the state alone is computed once, where compilers would keep its branch.
TEST(EmitC, UniformBranchesStandAboveTheLoop) {
  const test::WavesKernel kernel;
  EXPECT_THAT(emit_c(kernel.hand, kernel.code), HasSubstr(R"(  const double s0 = state[PAp];
  double s1 = 0.0;
  if (0.0 < s0) {
    const double s2 = state[Rz];
    const double s3 = state[PAp];
    s1 = s2 / s3;
  }
  long long rest = begin;
)"));
}

// Inside, where all neighbors are, nothing asks for them; functions have vector variants.
TEST(EmitC, WavesAreVectorizedInside) {
  const test::WavesKernel kernel;
  const std::string text = emit_c(kernel.hand, kernel.code);
  EXPECT_THAT(text,
              HasSubstr(R"(    const idx_t low = !(i1 < n1 - 1) ? stop : first < 2 ? 2 : first;
    const idx_t high = stop < low ? low : stop;
#pragma omp simd reduction(+:r0) reduction(max:r1)
    for (i0 = low; i0 < high; ++i0) {
)"));
  EXPECT_THAT(text, HasSubstr("#pragma omp declare simd notinbranch\nfloat sinf(float);\n"));
  const std::string inside =
      text.substr(text.find("i0 = low"), text.find("first == low") - text.find("i0 = low"));
  EXPECT_THAT(inside, Not(HasSubstr("uidx_t")));
  EXPECT_THAT(inside, Not(HasSubstr("if (")));
}

// Where one element may be added to by several points, points are computed one by one.
TEST(EmitC, ScattersAreNotVectorized) {
  const test::GraphKernel kernel;
  EXPECT_THAT(emit_c(kernel.hand, kernel.code), Not(HasSubstr("omp simd")));
}

// A vector seen as a whole and by its parts in one kernel: no promise that they are apart.
TEST(EmitC, OverlappingFieldsAreNotRestrict) {
  test::HandDeclarations hand;
  const DimId n = hand.dim("N");
  const FieldId part = hand.field("part", {n}, 1, FieldKind::Buffer);
  const FieldId whole = hand.field("whole", {n}, 1, FieldKind::Buffer);
  hand.program.buffers.pop_back();
  hand.program.buffers.back().flat = whole;
  const DomainId i = hand.domain(n);
  test::HandBody body(hand, {i});
  const ValueId here = body.element({n}, {body.coordinate(i)});
  body.store(whole, here, body.load(part, here));
  const std::string text = emit_c(hand, test::finish_kernel(hand, "copy", {body}));
  EXPECT_THAT(text, HasSubstr("  float* const f0 = a->f0;\n"));
  EXPECT_THAT(text, HasSubstr("  float* const f1 = a->f1;\n"));
}

template <class Kernel>
class EmittedC : public testing::Test {};
using Kernels = testing::Types<test::StencilKernel, test::GraphKernel, test::EverythingKernel,
                               test::WavesKernel>;
TYPED_TEST_SUITE(EmittedC, Kernels);

// -Wdouble-promotion: the float dialect computes nothing in double by accident.
TYPED_TEST(EmittedC, CompilesWithoutAWarning) {
  const auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << compiler.error().message();
  const TypeParam kernel;
  const test::TempDir folder;
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const int index_bits : {32, 64}) {
      const std::string text = emit_c(kernel.hand, kernel.code, precision, index_bits);
      const auto file = folder.write("kernel.c", text);
      const std::string command = compiler->command +
                                  " -std=c17 -Wall -Wextra -Wpedantic -Wdouble-promotion -Werror "
                                  "-fopenmp-simd -c -o /dev/null " +
                                  file.string();
      EXPECT_EQ(std::system(command.c_str()), 0) << text;
    }
  }
}

// Random memory for a hand-built kernel, in double and in what the kernel reads.
class Memory {
 public:
  Memory(const test::HandDeclarations& hand, const KernelCode& code, Precision precision,
         std::map<DimId, std::int64_t> extents, std::int64_t num_unknowns)
      : hand_(hand),
        code_(code),
        precision_(precision),
        extents_(std::move(extents)),
        num_unknowns_(num_unknowns) {
    std::mt19937 random(3);
    for (std::size_t f = 0; f < hand.program.fields.size(); ++f) {
      const Field& field = hand.program.fields[f];
      std::int64_t size = field.channels;
      for (const DimId dim : field.dims) size *= extents_.at(dim);
      if (field.name == "matrix") size = num_unknowns * num_unknowns;
      for (std::int64_t i = 0; i < size; ++i) {
        // Exact in every memory type.
        values_[FieldId(f)].push_back(static_cast<double>(1 + random() % 7));
      }
      pack(FieldId(f));
    }
    for (std::size_t m = 0; m < hand.program.maps.size(); ++m) {
      const SparseMap& map = hand.program.maps[m];
      std::vector<std::int32_t>& entries = maps_[MapId(m)];
      for (std::int64_t i = 0; i < extents_.at(map.in[0]); ++i) {
        for (const DimId out : map.out) {
          entries.push_back(
              static_cast<std::int32_t>(random() % static_cast<unsigned>(extents_.at(out))));
        }
      }
    }
  }

  void interpret_all() {
    interpret(hand_.program, code_,
              {.field = [&](FieldId field) { return std::span<double>(values_.at(field)); },
               .map = [&](MapId map) { return std::span<const std::int32_t>(maps_.at(map)); },
               .extent = [&](DimId dim) { return extents_.at(dim); },
               .unknown_offset = [](FieldId) { return 0; },
               .num_matrix_rows = num_unknowns_});
  }

  // In chunks of this many points.
  void run(const CompiledSource& compiled, std::int64_t chunk) {
    std::vector<std::uint64_t> words;
    for (const Argument& argument : kernel_arguments(hand_.program, code_, Dialect::C)) {
      words.push_back(word(argument));
    }
    const auto points =
        reinterpret_cast<void (*)(const void*, long long, long long, long long, double*)>(
            compiled.symbol(code_.role));
    std::vector<double> partial(code_.reductions.size(), 0.0);
    for (std::size_t s = 0; s < code_.sections.size(); ++s) {
      const std::int64_t count = num_points(s);
      for (std::int64_t begin = 0; begin < count; begin += chunk) {
        points(words.data(), static_cast<long long>(s), begin, std::min(begin + chunk, count),
               partial.data());
      }
    }
    double* const state = std::bit_cast<double*>(words[0]);
    for (std::size_t r = 0; r < partial.size(); ++r) {
      double& slot = state[code_.reductions[r].slot];
      slot =
          code_.reductions[r].op == ReduceOp::Sum ? slot + partial[r] : std::max(slot, partial[r]);
    }
    if (code_.has_epilogue) {
      reinterpret_cast<void (*)(const void*)>(compiled.symbol(code_.role + "_epilogue"))(
          words.data());
    }
  }

  // Largest difference over all fields, relative to the numbers.
  double difference() const {
    double worst = 0;
    for (const auto& [field, values] : values_) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        worst = std::max(
            worst, std::abs(packed(field, i) - values[i]) / std::max(1.0, std::abs(values[i])));
      }
    }
    return worst;
  }

 private:
  ScalarType type(FieldId field) const { return memory_type(hand_.program, field, precision_); }
  std::int64_t num_points(std::size_t section) const {
    std::int64_t count = 1;
    for (const DimId dim : code_.sections[section].extents) count *= extents_.at(dim);
    return count;
  }
  void pack(FieldId field) {
    std::vector<std::byte>& bytes = bytes_[field];
    const std::vector<double>& values = values_[field];
    bytes.resize(values.size() * size_of(type(field)) + 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      switch (type(field)) {
        case ScalarType::Float:
          reinterpret_cast<float*>(bytes.data())[i] = static_cast<float>(values[i]);
          break;
        case ScalarType::Int32:
          reinterpret_cast<std::int32_t*>(bytes.data())[i] = static_cast<std::int32_t>(values[i]);
          break;
        case ScalarType::UInt8:
          reinterpret_cast<std::uint8_t*>(bytes.data())[i] = static_cast<std::uint8_t>(values[i]);
          break;
        default: reinterpret_cast<double*>(bytes.data())[i] = values[i]; break;
      }
    }
  }
  double packed(FieldId field, std::size_t i) const {
    const std::byte* bytes = bytes_.at(field).data();
    switch (type(field)) {
      case ScalarType::Float: return static_cast<double>(reinterpret_cast<const float*>(bytes)[i]);
      case ScalarType::Int32: return reinterpret_cast<const std::int32_t*>(bytes)[i];
      case ScalarType::UInt8: return reinterpret_cast<const std::uint8_t*>(bytes)[i];
      default: return reinterpret_cast<const double*>(bytes)[i];
    }
  }
  std::uint64_t word(const Argument& argument) {
    const auto pointer = [](const void* p) { return std::bit_cast<std::uint64_t>(p); };
    switch (argument.kind) {
      case ArgumentKind::State: return pointer(bytes_.at(hand_.program.state).data());
      case ArgumentKind::Field: return pointer(bytes_.at(code_.slots.fields[argument.slot]).data());
      case ArgumentKind::Param:
        return std::bit_cast<std::uint64_t>(values_.at(code_.slots.fields[argument.slot])[0]);
      case ArgumentKind::Map: return pointer(maps_.at(code_.slots.maps[argument.slot]).data());
      case ArgumentKind::Extent:
        return static_cast<std::uint64_t>(extents_.at(code_.slots.dims[argument.slot]));
      case ArgumentKind::NumUnknowns: return static_cast<std::uint64_t>(num_unknowns_);
      case ArgumentKind::NumPoints: return static_cast<std::uint64_t>(num_points(argument.slot));
      default: return 0;
    }
  }

  const test::HandDeclarations& hand_;
  const KernelCode& code_;
  Precision precision_;
  std::map<DimId, std::int64_t> extents_;
  std::int64_t num_unknowns_;
  std::map<FieldId, std::vector<double>> values_;
  std::map<FieldId, std::vector<std::byte>> bytes_;
  std::map<MapId, std::vector<std::int32_t>> maps_;
};

// The same numbers as the interpreter, in both precisions and index widths, however the points are
// cut into chunks.
TYPED_TEST(EmittedC, ComputesWhatTheInterpreterComputes) {
  auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << compiler.error().message();
  compiler->highest_level = 3;  // so that the loops are vectorized
  const TypeParam kernel;
  const std::int64_t extents[] = {37, 5, 3};  // rows of more than two vectors
  std::map<DimId, std::int64_t> sizes;
  for (std::size_t d = 0; d < kernel.hand.program.dims.size(); ++d) sizes[DimId(d)] = extents[d];
  struct Variant {
    Precision precision;
    int index_bits;
  };
  constexpr Variant variants[] = {{Precision::Float, 32},
                                  {Precision::Float, 64},
                                  {Precision::Double, 32},
                                  {Precision::Double, 64}};
  std::vector<CSource> sources;
  for (const auto& [precision, index_bits] : variants) {
    sources.push_back({kernel.code.role, emit_c(kernel.hand, kernel.code, precision, index_bits)});
  }
  const auto compiled = compile_all(*compiler, sources);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto& [precision, index_bits] = variants[i];
    for (const std::int64_t chunk : {1, 4, 50, 1000}) {
      Memory memory(kernel.hand, kernel.code, precision, sizes, 37 * 5 * 3);
      memory.interpret_all();
      memory.run((*compiled)[i], chunk);
      EXPECT_LT(memory.difference(), precision == Precision::Double ? 1e-13 : 2e-5)
          << to_string(precision) << ", " << index_bits << " bits, chunks of " << chunk;
    }
  }
}

}  // namespace
}  // namespace thallo
