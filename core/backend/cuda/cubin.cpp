#include "core/backend/cuda/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/elf.h"

namespace thallo::cuda {
namespace {

using Bytes = std::vector<std::byte>;

// From sm_90 on, the shared memory section of a kernel begins with memory that the system reserves
// in every block. The cubin marks this by a section of its own.
constexpr const char* ReservedSection = ".nv.shared.reserved.0";
constexpr std::uint64_t ReservedBytes = 1024;

// The section .nv.info is a list of attributes. Each begins with the kind of its value and its
// number. The value is either the next two bytes, or as many bytes as these two say.
constexpr std::uint8_t SizedValue = 4;
// The values of these attributes are a symbol number and a count.
constexpr std::uint8_t RegisterCount = 0x2f;
constexpr std::uint8_t FrameSize = 0x11;
constexpr std::uint8_t StackSize = 0x12;  // including the frames of called functions

template <class Record>
std::optional<Record> record_at(const Bytes& bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

struct AttributeHead {
  std::uint8_t kind;
  std::uint8_t number;
  std::uint16_t size;
};
struct SymbolCount {
  std::uint32_t symbol;
  std::uint32_t count;
};

class Cubin {
 public:
  static Expected<Cubin> parse(std::string bytes) {
    auto file = ElfFile::parse(std::move(bytes));
    if (!file) return fail(file.error());
    if (file->machine() != EM_CUDA) return fail("an ELF file, but none for a GPU");
    Cubin cubin(*std::move(file));
    const ElfSection* symbols = cubin.file_.find(".symtab");
    if (symbols == nullptr || symbols->link >= cubin.file_.sections().size())
      return fail("damaged cubin: it has no symbols");
    for (const auto& [section, content] :
         {std::pair(symbols, &cubin.symbols_),
          std::pair(&cubin.file_.sections()[symbols->link], &cubin.names_),
          std::pair(cubin.file_.find(".nv.info"), &cubin.info_)}) {
      if (section == nullptr) continue;
      THALLO_TRY(*content, cubin.file_.content(*section));
    }
    return cubin;
  }

  // Returns the count in the function's attribute; absent if it has none.
  Expected<std::optional<int>> find(std::uint8_t attribute, std::string_view function) const {
    for (std::size_t at = 0; at < info_.size();) {
      const auto head = record_at<AttributeHead>(info_, at);
      if (!head) return fail("damaged cubin: an attribute ends early");
      at += sizeof *head;
      if (head->kind != SizedValue) continue;
      if (head->number == attribute) {
        const auto value = record_at<SymbolCount>(info_, at);
        if (!value || head->size < sizeof *value)
          return fail("damaged cubin: an attribute ends early");
        if (name_of(value->symbol) == function) {
          if (value->count > std::uint32_t{std::numeric_limits<int>::max()})
            return fail("damaged cubin: a kernel has {} registers or bytes", value->count);
          return static_cast<int>(value->count);
        }
      }
      at += head->size;
    }
    return std::nullopt;
  }

  Expected<int> shared_bytes(std::string_view function) const {
    const ElfSection* section = file_.find(fmt::format(".nv.shared.{}", function));
    if (section == nullptr) return 0;
    const std::uint64_t reserved = file_.find(ReservedSection) != nullptr ? ReservedBytes : 0;
    if (section->size < reserved || section->size > std::uint64_t{std::numeric_limits<int>::max()})
      return fail("damaged cubin: a kernel has {} bytes of shared memory", section->size);
    return static_cast<int>(section->size - reserved);
  }

 private:
  explicit Cubin(ElfFile file) : file_(std::move(file)) {}

  std::string_view name_of(std::uint32_t symbol) const {
    const auto entry = record_at<Elf64_Sym>(symbols_, std::size_t{symbol} * sizeof(Elf64_Sym));
    if (!entry || entry->st_name >= names_.size()) return {};
    const auto* first = reinterpret_cast<const char*>(names_.data()) + entry->st_name;
    return {first, strnlen(first, names_.size() - entry->st_name)};
  }

  ElfFile file_;
  Bytes symbols_;
  Bytes names_;
  Bytes info_;
};

}  // namespace

Expected<KernelUsage> read_kernel_usage(std::string bytes, std::string_view kernel) {
  const auto cubin = Cubin::parse(std::move(bytes));
  if (!cubin) return fail(cubin.error());
  const auto registers = cubin->find(RegisterCount, kernel);
  if (!registers) return fail(registers.error());
  if (!*registers) return fail("the cubin has no kernel '{}'", kernel);
  THALLO_TRY(const auto frame, cubin->find(FrameSize, kernel));
  THALLO_TRY(const auto stack, cubin->find(StackSize, kernel));
  THALLO_TRY(const auto shared, cubin->shared_bytes(kernel));
  return KernelUsage{.registers = **registers,
                     .local_bytes = std::max(frame.value_or(0), stack.value_or(0)),
                     .shared_bytes = shared};
}

}  // namespace thallo::cuda
