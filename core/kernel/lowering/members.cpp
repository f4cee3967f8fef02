// Gives each member of a batch a state of its own, and makes each kernel one over the members. What
// a kernel does for a member, one thread does, the member's other points in loops: so every sum is
// added up in one order, whatever else runs, and is the member's. The thread then computes what the
// epilogue of the kernel has computed, for its member.
//
// Gates become guards: that of the launch, and of how much of a step the member takes part in.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/kernel/lowering/stages.h"

namespace thallo {
namespace {

std::optional<MemberWork> work_of(Phase phase) {
  switch (phase) {
    case Phase::Linearize:
    case Phase::SaveScale: return MemberWork::Linearization;
    case Phase::Damp:
    case Phase::DirectSolve: return MemberWork::LinearSolve;
    case Phase::Retract:
    case Phase::TrialValues:
    case Phase::TrialCost: return MemberWork::Trial;
    default: return std::nullopt;  // those of a linear loop stop by themselves
  }
}

bool copies_chosen(Phase phase) {
  return phase == Phase::Accept || phase == Phase::Keep || phase == Phase::GoBack;
}

class MemberSeparation {
 public:
  explicit MemberSeparation(ProgramBuilder& builder)
      : b_(builder),
        g_(builder.graph()),
        member_(builder.element_of({builder.energy().members()}).front()),
        here_(g_.indices().intern(std::span(&member_, 1))) {}

  void run() {
    KernelProgram& program = b_.program();
    program.members = b_.energy().members();
    program.fields[program.state.index()].dims = {program.members};
    program.is_deterministic = true;
    lowered_ = program.kernels;
    program.kernels.clear();
    for (auto& [phase, steps] : program.phases) {
      std::vector<Step> separated;
      std::vector<std::size_t> cleared;
      for (const Step& step : steps) {
        if (const auto* clear = std::get_if<ClearBuffer>(&step)) {
          cleared.push_back(clear->buffer);
          continue;
        }
        if (!cleared.empty()) add(separated, phase, clearing(std::exchange(cleared, {})));
        const auto* launch = std::get_if<LaunchKernel>(&step);
        THALLO_ASSERT(launch != nullptr, "a library computes nothing of one member alone");
        add(separated, phase, *launch);
      }
      THALLO_ASSERT(cleared.empty(), "a phase clears what it does not use");
      steps = std::move(separated);
    }
  }

 private:
  using Guards = std::tuple<std::optional<std::pair<StateSlot, double>>, std::optional<MemberWork>,
                            bool>;  // the gate, the work, whether the member is chosen

  ExprId state(int slot) { return g_.access(b_.program().state, here_, slot); }
  ExprId state(StateSlot slot) { return state(static_cast<int>(slot)); }

  void add(std::vector<Step>& steps, Phase phase, LaunchKernel launch) {
    const std::optional<Gate> gate = std::exchange(launch.gate, {});
    for (const std::size_t kernel : versions(launch.kernel, gate, phase)) {
      launch.kernel = kernel;
      steps.emplace_back(launch);
    }
  }

  // A kernel that stores 0 in buffers.
  LaunchKernel clearing(const std::vector<std::size_t>& buffers) {
    const auto [known, is_new] = clearing_.try_emplace(buffers, lowered_.size());
    if (is_new) {
      Kernel kernel{.role = "clear", .label = "clear"};
      for (const std::size_t buffer : buffers) {
        for (const FieldId id : b_.program().buffers[buffer].fields) {
          const Field& field = b_.program().field(id);
          Section section{.domains = b_.element_of(field.dims)};
          const IndexId here = g_.indices().intern(section.domains);
          for (int c = 0; c < field.channels; ++c)
            section.body.push_back({Store{id, here, c, g_.constant(0)}});
          kernel.sections.push_back(std::move(section));
        }
      }
      lowered_.push_back(std::move(kernel));
    }
    return {known->second, {}, {}};
  }

  // The kernels in place of one: that of what all members share, if it has any, and theirs.
  std::vector<std::size_t> versions(std::size_t kernel, const std::optional<Gate>& gate,
                                    Phase phase) {
    Guards guards{std::nullopt, work_of(phase), copies_chosen(phase)};
    if (gate) std::get<0>(guards) = std::pair(gate->slot, gate->value);
    const auto [known, is_new] = versions_.try_emplace({kernel, guards});
    if (!is_new) return known->second;
    Kernel shared = lowered_[kernel], own = shared;
    std::erase_if(shared.sections, [this](const Section& s) { return is_of_member(s); });
    std::erase_if(own.sections, [this](const Section& s) { return !is_of_member(s); });
    shared.epilogue.clear();
    if (!shared.sections.empty()) known->second.push_back(b_.add_kernel(std::move(shared)));
    if (!own.sections.empty())
      known->second.push_back(b_.add_kernel(separated(std::move(own), guards)));
    return known->second;
  }
  bool is_of_member(const Section& section) const {
    return std::ranges::any_of(section.domains, [this](DomainId domain) {
      return g_.indices().domain(domain).dim == b_.program().members;
    });
  }

  // Boolean.
  ExprId condition(const Guards& guards) {
    const auto& [gate, work, is_chosen] = guards;
    std::vector<ExprId> conditions = {g_.boolean(true)};
    if (gate)
      conditions.push_back(g_.binary(Op::Eq, state(gate->first), g_.constant(gate->second)));
    if (work) {
      conditions.push_back(
          g_.binary(Op::LessEq, g_.constant(static_cast<double>(*work)), state(StateSlot::Work)));
    }
    if (is_chosen)
      conditions.push_back(g_.binary(Op::Eq, state(StateSlot::Chosen), g_.constant(1)));
    return g_.mul(conditions);
  }

  Kernel separated(Kernel kernel, const Guards& guards) {
    result_.clear();
    sums_.clear();
    largest_.clear();
    for (const Section& section : kernel.sections) add(section);
    for (Store& store : finished(kernel.epilogue)) result_.push_back({store});
    if (std::get<2>(guards))
      result_.push_back(
          {Store{b_.program().state, here_, static_cast<int>(StateSlot::Chosen), g_.constant(0)}});
    const ExprId holds = condition(guards);
    if (!g_.is_constant(holds)) result_ = {{Guard{holds, std::move(result_)}}};
    kernel.sections = {{.domains = {member_}, .body = std::move(result_)}};
    kernel.shape = {};
    kernel.epilogue.clear();
    kernel.loop_condition = {};
    return kernel;
  }

  // What the sections have summed up goes to the state, or to the values that the epilogue makes of
  // it.
  std::vector<Store> finished(std::vector<Store> epilogue) {
    std::map<int, ExprId> slots;
    for (const auto& [slot, sums] : sums_) slots[slot] = g_.add(state(slot), g_.add(sums));
    for (const auto& [slot, values] : largest_) {
      ExprId largest = state(slot);
      for (const ExprId value : values)
        largest = g_.select(g_.binary(Op::Less, largest, value), value, largest);
      slots[slot] = largest;
    }
    std::map<ExprId, ExprId> totals;
    for (const auto& [slot, total] : slots) totals.emplace(state(slot), total);
    for (Store& store : epilogue) {
      store.index = here_;
      store.value = g_.replace(of_member(store.value), totals);
      slots.erase(store.channel);
    }
    for (const auto& [slot, total] : slots)
      epilogue.push_back({b_.program().state, here_, slot, total});
    return epilogue;
  }

  // The section's loop variable over the batch is the member; its others are loops.
  void add(const Section& section) {
    DomainSubstitution renaming;
    std::vector<DomainId> others;
    for (const DomainId domain : section.domains) {
      if (g_.indices().domain(domain).dim == b_.program().members) {
        THALLO_ASSERT(renaming.empty(), "a kernel over two members");
        renaming.emplace(domain, g_.indices().component(member_));
      } else {
        others.push_back(domain);
      }
    }
    renaming_ = std::move(renaming);
    rebuilt_.clear();
    Block rest = add(section.body, others);
    if (rest.empty()) return;
    if (!others.empty()) rest = {{Loop{others, std::move(rest)}}};
    std::ranges::move(rest, std::back_inserter(result_));
  }

  // Adds what is summed up over the loops, and returns what is done at each of their points.
  Block add(const Block& block, const std::vector<DomainId>& loops) {
    Block rest;
    for (const Statement& statement : block) {
      if (const auto* reduce = std::get_if<Reduce>(&statement.node)) {
        const ExprId value = of_member(reduce->value);
        const bool is_sum = reduce->op == ReduceOp::Sum;
        (is_sum ? sums_ : largest_)[reduce->slot].push_back(
            g_.sum(loops, value, is_sum ? SumKind::Double : SumKind::Largest));
      } else if (const auto* scatter = std::get_if<ScatterAdd>(&statement.node)) {
        ScatterAdd added = *scatter;
        added.index = g_.indices().substitute(added.index, renaming_);
        added.value = of_member(added.value);
        const std::vector<DomainId>& varies = g_.indices().domains_of(added.index);
        const bool is_inside = std::ranges::any_of(
            loops, [&](DomainId loop) { return std::ranges::binary_search(varies, loop); });
        if (!is_inside) added.value = g_.sum(loops, added.value);
        (is_inside ? rest : result_).push_back({added});
      } else if (const auto* loop = std::get_if<Loop>(&statement.node)) {
        std::vector<DomainId> all = loops;
        all.insert(all.end(), loop->domains.begin(), loop->domains.end());
        Block inner = add(loop->body, all);
        if (!inner.empty()) rest.push_back({Loop{loop->domains, std::move(inner)}});
      } else {
        const auto* store = std::get_if<Store>(&statement.node);
        THALLO_ASSERT(store != nullptr, "a statement that no batch has");
        rest.push_back({Store{store->field, g_.indices().substitute(store->index, renaming_),
                              store->channel, of_member(store->value)}});
      }
    }
    return rest;
  }

  // Of a section's expression or, without its renaming, of an epilogue's: it reads the state of the
  // member.
  ExprId of_member(ExprId expression) {
    const ExprId renamed = g_.substitute(expression, renaming_, rebuilt_);
    std::map<ExprId, ExprId> states;
    for (const ExprId access : g_.accesses(std::span(&renamed, 1))) {
      if (g_.field(access) == b_.program().state) states.emplace(access, state(g_.channel(access)));
    }
    return g_.replace(renamed, states);
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  DomainId member_;
  IndexId here_;
  std::vector<Kernel> lowered_;
  std::map<std::vector<std::size_t>, std::size_t> clearing_;  // kernels, by buffers
  std::map<std::pair<std::size_t, Guards>, std::vector<std::size_t>> versions_;
  // Of the kernel that is made, and of the section that is added to it.
  Block result_;
  std::map<int, std::vector<ExprId>> sums_, largest_;  // by slot
  DomainSubstitution renaming_;
  ExprGraph::Rebuilt rebuilt_;
};

}  // namespace

void separate_members(ProgramBuilder& builder) { MemberSeparation(builder).run(); }

}  // namespace thallo
