// The iterations that the members of a batch make, each by a team of threads (member_loop.h). In
// front of this text are the decisions of core/solve, the kernels of the program as functions, and
// `Phases`: the arguments of their launches, with a function for each phase (member_loop_text.h).

namespace thallo {

// The words that MemberLoop::run() hands over.
struct Loop {
  SolverState* states;
  Descent* descents;
  const DescentRules* rules;
  IterationRecord* records;  // [iteration][member]
  int* num_made;             // by each member
  IterationRecord* sums;     // of the batch, by iteration
  int* most_made;            // by a member; -1 if host and device lay out what they share differently
  const volatile int* is_interrupted;  // the host may set it
  long long num_members, team, most, max_linear_iterations, reset_period;
  unsigned long long descent_bytes, rules_bytes, record_bytes;
  Phases phases;
};

// What the first thread decides.

bool begins_iteration(Descent& descent, SolverState& state, bool is_direct) {
  descent.begin_iteration(state);
  if (descent.has_ended()) return false;
  const bool is_linearized = descent.is_linearized();
  at(state, StateSlot::Work) =
      static_cast<double>(is_linearized ? MemberWork::LinearSolve : MemberWork::Linearization);
  if (!is_linearized) descent.linearize();
  at(state, StateSlot::Stop) = is_direct ? 1 : 0;
  return true;
}

// Returns whether there is another length of the step to look at.
bool looks_again(Descent& descent, SolverState& state) {
  const bool again = descent.look(state).has_value() && !descent.has_ended();
  at(state, StateSlot::Work) = static_cast<double>(again ? MemberWork::Trial : MemberWork::None);
  return again;
}

bool chooses(SolverState& state, bool is_chosen) {
  at(state, StateSlot::Chosen) = is_chosen ? 1 : 0;
  return is_chosen;
}

// A thread of a member, and what its team does together.
struct Teammate {
  const Loop& m;
  Team team;
  SolverState& state;
  Descent& descent;

  bool is_first() const { return team.member == 0; }
  // What the first thread knows. Afterwards all see what any of them has stored.
  template <class Question>
  bool first(Question question) const {
    __syncwarp(team.mates);
    const int answer = is_first() ? question() : 0;
    __syncwarp(team.mates);
    return __shfl_sync(team.mates, answer, threadIdx.x & 31 & ~(team.size - 1)) != 0;
  }

  void solve() const {
    run_damp(m.phases, team);
    if (m.rules->solves_directly) return run_direct_solve(m.phases, team);
    for (long long i = 1; i <= m.max_linear_iterations; ++i) {
      run_direction(m.phases, team);
      run_apply(m.phases, team);
      run_update(m.phases, team);
      if (m.reset_period > 0 && i % m.reset_period == 0) {
        run_reset_direction(m.phases, team);
        run_reset_apply(m.phases, team);
        run_reset_update(m.phases, team);
      }
      if (first([&] { return at(state, StateSlot::Stop) != 0 || *m.is_interrupted != 0; })) return;
    }
  }

  // Returns whether there was a step.
  bool iterate() const {
    run_linearize(m.phases, team);
    solve();
    do {
      run_retract(m.phases, team);
      run_trial_values(m.phases, team);
      run_trial_cost(m.phases, team);
    } while (first([&] { return looks_again(descent, state); }));
    if (first([&] { return chooses(state, descent.leaves_best()); })) run_keep(m.phases, team);
    if (first([&] { return chooses(state, descent.step() == Descent::Step::Accepted); }))
      run_accept(m.phases, team);
    return first([&] { return descent.step() != Descent::Step::None; });
  }

  void run() const {
    int made = 0;
    if (is_first()) descent.follow(*m.rules);
    while (made < m.most && first([&] {
             return !descent.has_ended() && *m.is_interrupted == 0 &&
                    begins_iteration(descent, state, m.rules->solves_directly);
           })) {
      if (!iterate()) break;
      if (is_first()) m.records[made * m.num_members + team.point] = descent.record();
      ++made;
    }
    if (!is_first()) return;
    at(state, StateSlot::Work) = static_cast<double>(MemberWork::None);
    m.num_made[team.point] = made;
    atomicMax(m.most_made, made);
  }
};

// The sums over the members that made this iteration; of the cost, over all.
IterationRecord sum_of(const Loop& m, int iteration, long long member) {
  const int made = m.num_made[member];
  IterationRecord sum;
  sum.accepted = false;
  sum.cost = made == 0 ? m.descents[member].energy_cost()
                       : m.records[std::min(made - 1, iteration) * m.num_members + member].cost;
  if (!std::isfinite(sum.cost)) sum.cost = 0;
  if (iteration >= made) return sum;
  const IterationRecord& own = m.records[iteration * m.num_members + member];
  sum.gradient_max = own.gradient_max;
  sum.linear_iterations = own.linear_iterations;
  sum.failed_blocks = own.failed_blocks;
  sum.accepted = own.accepted;
  sum.cost_change = own.accepted ? own.cost_change : 0;
  sum.step_norm = own.accepted ? own.step_norm * own.step_norm : 0;
  return sum;
}

void add(IterationRecord& sum, const IterationRecord& other) {
  sum.cost += other.cost;
  sum.cost_change += other.cost_change;
  sum.step_norm += other.step_norm;
  sum.gradient_max = std::max(sum.gradient_max, other.gradient_max);
  sum.linear_iterations = std::max(sum.linear_iterations, other.linear_iterations);
  sum.failed_blocks += other.failed_blocks;
  sum.accepted = sum.accepted || other.accepted;
}

}  // namespace thallo

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) iterate_members(const thallo::Loop m) {
  using namespace thallo;
  if (m.descent_bytes != sizeof(Descent) || m.rules_bytes != sizeof(DescentRules) ||
      m.record_bytes != sizeof(IterationRecord)) {
    *m.most_made = -1;
    return;
  }
  const unsigned int size = (unsigned int)m.team;
  const unsigned int member = threadIdx.x & (size - 1);
  const long long point = ((long long)blockIdx.x * BLOCK_SIZE + threadIdx.x) / size;
  if (point >= m.num_members) return;
  const unsigned int mates =
      size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (threadIdx.x & 31 & ~(size - 1));
  Teammate{m, {(unsigned int)point, size, member, mates}, m.states[point], m.descents[point]}.run();
}

// A block for each iteration.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) sum_iterations(const thallo::Loop m) {
  using namespace thallo;
  __shared__ IterationRecord sums[BLOCK_SIZE];
  const int iteration = blockIdx.x;
  if (iteration >= *m.most_made) return;
  IterationRecord sum;
  sum.accepted = false;
  for (long long i = threadIdx.x; i < m.num_members; i += BLOCK_SIZE)
    add(sum, sum_of(m, iteration, i));
  sums[threadIdx.x] = sum;
  for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) add(sums[threadIdx.x], sums[threadIdx.x + half]);
  }
  if (threadIdx.x != 0) return;
  sums[0].step_norm = sqrt(sums[0].step_norm);
  m.sums[iteration] = sums[0];
}
