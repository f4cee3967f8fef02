// Reading cubins that are written by hand, whole and damaged; no CUDA is needed.
#include "core/backend/cuda/cubin.h"

#include <gmock/gmock.h>

#include <elf.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/hand_elf.h"

namespace thallo::cuda {
namespace {

using test::hand_elf;
using test::HandSection;
using testing::HasSubstr;

template <class Integer>
std::string bytes_of(Integer value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// An attribute that says `count` of a symbol.
std::string attribute(std::uint8_t number, std::uint32_t symbol, std::uint32_t count) {
  return bytes_of(std::uint8_t{4}) + bytes_of(number) + bytes_of(std::uint16_t{8}) +
         bytes_of(symbol) + bytes_of(count);
}

std::string symbol(std::uint32_t name) {
  Elf64_Sym entry{};
  entry.st_name = name;
  return {reinterpret_cast<const char*>(&entry), sizeof entry};
}

// The symbols 1 and 2 are the kernels `sum` and `dot`; sum has 32 registers, frames of 672 bytes
// and, of what it calls, 16 more; dot has 12 registers and 400 bytes of shared memory.
std::vector<HandSection> sections_of_two_kernels() {
  const std::string plain = {0x01, 0x35, 0x00, 0x00};  // an attribute whose value has two bytes
  return {{.name = ".strtab", .content = std::string("\0sum\0dot\0", 9)},
          {.name = ".symtab", .content = symbol(0) + symbol(1) + symbol(5), .link = 1},
          {.name = ".nv.info",
           .content = attribute(0x2f, 2, 12) + plain + attribute(0x2f, 1, 32) +
                      attribute(0x11, 1, 672) + attribute(0x12, 1, 688) + attribute(0x12, 2, 0)},
          {.name = ".nv.shared.dot", .size = 400}};
}

std::string two_kernels() { return hand_elf(EM_CUDA, sections_of_two_kernels()); }

TEST(Cubin, TellsKernelsApart) {
  const auto sum = read_kernel_usage(two_kernels(), "sum");
  ASSERT_TRUE(sum) << sum.error().what;
  EXPECT_EQ(sum->registers, 32);
  EXPECT_EQ(sum->local_bytes, 688);
  EXPECT_EQ(sum->shared_bytes, 0);
  const auto dot = read_kernel_usage(two_kernels(), "dot");
  ASSERT_TRUE(dot) << dot.error().what;
  EXPECT_EQ(dot->registers, 12);
  EXPECT_EQ(dot->local_bytes, 0);
  EXPECT_EQ(dot->shared_bytes, 400);
}

TEST(Cubin, LeavesOutSharedMemoryOfTheSystem) {
  std::vector<HandSection> sections = sections_of_two_kernels();
  sections.back().size = 1424;
  sections.push_back({.name = ".nv.shared.reserved.0", .size = 64});
  const auto dot = read_kernel_usage(hand_elf(EM_CUDA, sections), "dot");
  ASSERT_TRUE(dot) << dot.error().what;
  EXPECT_EQ(dot->shared_bytes, 400);
  sections[3].size = 1000;
  EXPECT_THAT(read_kernel_usage(hand_elf(EM_CUDA, sections), "dot").error().what,
              HasSubstr("1000 bytes of shared memory"));
}

TEST(Cubin, RefusesWhatIsNone) {
  EXPECT_EQ(read_kernel_usage("no cubin", "sum").error().what, "not an ELF file");
  EXPECT_EQ(read_kernel_usage(hand_elf(EM_X86_64, sections_of_two_kernels()), "sum").error().what,
            "an ELF file, but none for a GPU");
  EXPECT_EQ(read_kernel_usage(hand_elf(EM_CUDA, {}), "sum").error().what,
            "damaged cubin: it has no symbols");
  EXPECT_EQ(read_kernel_usage(two_kernels(), "su").error().what, "the cubin has no kernel 'su'");
  for (std::size_t cut = 1; cut < 12; ++cut) {
    std::vector<HandSection> sections = sections_of_two_kernels();
    sections[2].content = attribute(0x2f, 2, 12) + attribute(0x2f, 1, 32).substr(0, cut);
    EXPECT_THAT(read_kernel_usage(hand_elf(EM_CUDA, sections), "sum").error().what,
                HasSubstr("an attribute ends early"))
        << cut;
  }
  std::vector<HandSection> sections = sections_of_two_kernels();
  sections[2].content = attribute(0x2f, 1, 0xffffffff);
  EXPECT_THAT(read_kernel_usage(hand_elf(EM_CUDA, sections), "sum").error().what,
              HasSubstr("4294967295 registers"));
}

TEST(Cubin, NoTruncationIsReadAndEveryDamagedByteIsSurvived) {
  const std::string whole = two_kernels();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_kernel_usage(whole.substr(0, size), "sum")) << size << " bytes";
  // Reading damaged bytes may succeed or fail, but ends and stays in bounds (the sanitizers see).
  std::size_t num_refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
      for (const char* kernel : {"sum", "dot"})
        num_refused += read_kernel_usage(damaged, kernel) ? 0 : 1;
    }
  }
  EXPECT_GT(num_refused, 0u);
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    read_kernel_usage(damaged, "sum").has_value();
  }
}

}  // namespace
}  // namespace thallo::cuda
