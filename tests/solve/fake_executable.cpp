#include "tests/solve/fake_executable.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"

namespace thallo::test {

std::vector<PhaseTiming> FakeExecutable::timing() const {
  std::map<Phase, PhaseTiming> total;
  for (const Phase phase : phases_) {
    PhaseTiming& timing = total[phase];
    timing.phase = phase;
    timing.launches += 1;
    timing.seconds += 1e-9;
  }
  std::vector<PhaseTiming> result;
  for (const auto& [phase, timing] : total) result.push_back(timing);
  return result;
}

int FakeExecutable::num_runs(Phase phase) const {
  return static_cast<int>(std::ranges::count(phases_, phase));
}

void ScriptedExecutable::run(Phase phase) {
  log(phase);
  const ScriptedStep step = step_ < steps_.size() ? steps_[step_] : ScriptedStep{};
  if (phase == Phase::Cost) slot(StateSlot::Cost) = initial_cost_;
  if (phase == Phase::Linearize) slot(StateSlot::BMax) = step.gradient_max;
  if (phase == Phase::Damp) radii_.push_back(slot(StateSlot::Radius));
  if (phase == Phase::Retract) {
    if (on_step) on_step();
    slot(StateSlot::ModelDecrease) = step.model_decrease;
    slot(StateSlot::StepNorm2) = step.step_norm * step.step_norm;
    slot(StateSlot::XNorm2) = x_norm * x_norm;
  }
  if (phase == Phase::TrialCost) {
    slot(StateSlot::Cost) = step.trial_cost;
    ++step_;
  }
}

void ScriptedExecutable::run_linear_loop(const LinearLoop& loop) {
  log(Phase::Apply);
  slot(StateSlot::LinearIteration) = loop.max_iterations;
}

DenseExecutable::DenseExecutable(Residuals residuals, Eigen::VectorXd start, bool jacobi,
                                 Eigen::VectorXd free)
    : residuals_(std::move(residuals)),
      x_(std::move(start)),
      free_(std::move(free)),
      jacobi_(jacobi) {
  if (free_.size() == 0) free_ = Eigen::VectorXd::Ones(x_.size());
}

double DenseExecutable::cost(const Eigen::VectorXd& x) {
  Eigen::VectorXd f;
  Eigen::MatrixXd j;
  residuals_(x, f, j);
  return 0.5 * f.squaredNorm();
}

void DenseExecutable::run(Phase phase) {
  log(phase);
  switch (phase) {
    case Phase::Setup: scale_.resize(0); return;
    case Phase::Values:
    case Phase::TrialValues: return;
    case Phase::Cost: slot(StateSlot::Cost) = cost(x_); return;
    case Phase::TrialCost: slot(StateSlot::Cost) = cost(trial_); return;
    case Phase::Linearize: return linearize();
    case Phase::SaveScale: scale_ = (1 + d_.array().sqrt()).square(); return;
    case Phase::Damp: return damp();
    case Phase::DenseSolve: return solve_densely();
    case Phase::Retract: return retract();
    case Phase::Accept: x_ = trial_; return;
    case Phase::Direction:
    case Phase::Apply:
    case Phase::Update:
    case Phase::ResetDirection:
    case Phase::ResetApply:
    case Phase::ResetUpdate: break;
  }
  THALLO_UNREACHABLE();
}

void DenseExecutable::linearize() {
  Eigen::VectorXd f;
  Eigen::MatrixXd j;
  residuals_(x_, f, j);
  j = j * free_.asDiagonal();
  jtj_ = j.transpose() * j;
  b_ = -(j.transpose() * f);
  d_ = jtj_.diagonal();
  slot(StateSlot::BMax) = b_.lpNorm<Eigen::Infinity>();
}

void DenseExecutable::damp() {
  const double radius = slot(StateSlot::Radius);
  damping_ = Eigen::VectorXd::Zero(x_.size());
  if (damped()) {
    const Eigen::ArrayXd low = scale_.array() * slot(StateSlot::MinDiagonal);
    const Eigen::ArrayXd high = scale_.array() * slot(StateSlot::MaxDiagonal);
    damping_ = d_.array().max(low).min(high) / radius;
    damping_ = damping_.cwiseProduct(free_);
    inverse_ = (d_ + damping_).cwiseInverse();
  } else {
    inverse_ = (1 + d_.array().sqrt()).square().inverse();
  }
  if (!jacobi_) inverse_.setOnes();
  inverse_ = free_.array().select(inverse_.array(), 0.0);
  delta_ = Eigen::VectorXd::Zero(x_.size());
  r_ = b_;
}

// semantics.md E.3 (GN) and E.4 (LM), word by word.
void DenseExecutable::run_linear_loop(const LinearLoop& loop) {
  log(Phase::Apply);
  const Eigen::MatrixXd a = jtj_ + Eigen::MatrixXd(damping_.asDiagonal());
  Eigen::VectorXd z = inverse_.cwiseProduct(r_);
  Eigen::VectorXd p = z;
  double rz = r_.dot(z);
  double q0 = 0;
  int iteration = 0;
  while (rz != 0 && iteration < loop.max_iterations) {
    ++iteration;
    const Eigen::VectorXd ap = a * p;
    const double pap = p.dot(ap);
    const double alpha = pap > 0 ? rz / pap : 0;
    delta_ += alpha * p;
    const bool reset = loop.reset_period > 0 && iteration % loop.reset_period == 0;
    r_ = reset ? Eigen::VectorXd(b_ - a * delta_) : Eigen::VectorXd(r_ - alpha * ap);
    z = inverse_.cwiseProduct(r_);
    const double rz_next = r_.dot(z);
    if (const double tolerance = slot(StateSlot::QTolerance); tolerance > 0) {
      const double q1 = 0.5 * delta_.dot(r_ + b_);
      const double zeta = iteration * (q1 - q0) / q1;
      if (!std::isfinite(q1) || !std::isfinite(zeta) || zeta < tolerance) break;
      q0 = q1;
    }
    if (const double tolerance = slot(StateSlot::ResidualTolerance); tolerance > 0) {
      if (r_.norm() <= tolerance * b_.norm()) break;
    }
    p = z + rz_next / rz * p;
    rz = rz_next;
  }
  slot(StateSlot::LinearIteration) = iteration;
}

void DenseExecutable::solve_densely() {
  Eigen::MatrixXd a = jtj_ + Eigen::MatrixXd(damping_.asDiagonal());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    if (a.row(i).isZero(0)) a(i, i) = 1;
  }
  delta_ = a.ldlt().solve(b_);
  r_.setZero();
}

void DenseExecutable::retract() {
  trial_ = x_ + delta_;
  slot(StateSlot::ModelDecrease) =
      0.5 * delta_.dot(b_ + r_) + 0.5 * delta_.dot(damping_.cwiseProduct(delta_));
  slot(StateSlot::StepNorm2) = delta_.squaredNorm();
  slot(StateSlot::XNorm2) = x_.squaredNorm();
}

}  // namespace thallo::test
