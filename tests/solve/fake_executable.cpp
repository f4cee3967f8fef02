#include "tests/solve/fake_executable.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/base/error.h"

namespace thallo::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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
  if (phase == Phase::Linearize)
    slot(StateSlot::BMax) = slot(StateSlot::RelativeBMax) = step.gradient_max;
  if (phase == Phase::Damp) {
    radii_.push_back(slot(StateSlot::Radius));
    slot(StateSlot::LinearIteration) = 0;
  }
  if (phase == Phase::Retract) {
    if (on_step) on_step();
    slot(StateSlot::ModelDecrease) = step.model_decrease;
    slot(StateSlot::DampedNorm2) = step.damped_norm2;
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
  slot(StateSlot::LinearIteration) =
      std::min(loop.max_iterations, step_ < steps_.size() ? steps_[step_].linear_iterations : 1);
}

// All of length x.size().
struct DenseExecutable::Vectors {
  VectorXd x, trial, free, b, d, scale, damping, inverse, delta, r;
  MatrixXd jtj;
  bool damped() const { return scale.size() > 0; }
};

namespace {

VectorXd to_eigen(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
}
std::vector<double> to_std(const VectorXd& values) { return {values.begin(), values.end()}; }

double cost_of(const DenseExecutable::Evaluation& at_x) {
  return 0.5 * to_eigen(at_x.f).squaredNorm();
}

}  // namespace

DenseExecutable::DenseExecutable(Residuals residuals, const std::vector<double>& start, bool jacobi,
                                 const std::vector<double>& free)
    : residuals_(std::move(residuals)), jacobi_(jacobi), v_(std::make_unique<Vectors>()) {
  v_->x = to_eigen(start);
  v_->free = free.empty() ? VectorXd(VectorXd::Ones(v_->x.size())) : to_eigen(free);
}
DenseExecutable::~DenseExecutable() = default;
DenseExecutable::DenseExecutable(DenseExecutable&&) noexcept = default;

std::vector<double> DenseExecutable::x() const { return to_std(v_->x); }
std::vector<double> DenseExecutable::damping() const { return to_std(v_->damping); }

void DenseExecutable::run(Phase phase) {
  log(phase);
  switch (phase) {
    case Phase::Setup: v_->scale.resize(0); return;
    case Phase::Values:
    case Phase::TrialValues: return;
    case Phase::Cost: slot(StateSlot::Cost) = cost_of(residuals_(to_std(v_->x))); return;
    case Phase::TrialCost: slot(StateSlot::Cost) = cost_of(residuals_(to_std(v_->trial))); return;
    case Phase::Linearize: return linearize();
    case Phase::SaveScale: v_->scale = (length() + v_->d.array().sqrt()).square(); return;
    case Phase::Damp: return damp();
    case Phase::DirectSolve: return solve_densely();
    case Phase::Retract: return retract();
    case Phase::Accept: v_->x = v_->trial; return;
    case Phase::Direction:
    case Phase::Apply:
    case Phase::Update:
    case Phase::ResetDirection:
    case Phase::ResetApply:
    case Phase::ResetUpdate:
    case Phase::GroupSums:
    case Phase::Keep:
    case Phase::GoBack: break;
  }
  THALLO_UNREACHABLE();
}

void DenseExecutable::linearize() {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Evaluation at_x = residuals_(to_std(v_->x));
  const VectorXd f = to_eigen(at_x.f);
  MatrixXd j = Eigen::Map<const RowMajor>(at_x.j.data(), f.size(), v_->x.size());
  j = j * v_->free.asDiagonal();
  v_->jtj = j.transpose() * j;
  v_->b = -(j.transpose() * f);
  v_->d = v_->jtj.diagonal();
  slot(StateSlot::BMax) = v_->b.lpNorm<Eigen::Infinity>();
  slot(StateSlot::RelativeBMax) =
      (v_->d.array() > 0).select(v_->b.array().abs() / v_->d.array().sqrt(), 0.0).maxCoeff();
}

// l of docs/algorithms.md.
double DenseExecutable::length() {
  return std::clamp(std::sqrt(2 * slot(StateSlot::Cost)), 1e-15, 1.0);
}

void DenseExecutable::damp() {
  Vectors& v = *v_;
  const double radius = slot(StateSlot::Radius);
  v.damping = VectorXd::Zero(v.x.size());
  if (v.damped()) {
    const Eigen::ArrayXd now = (length() + v.d.array().sqrt()).square();
    const Eigen::ArrayXd low = v.scale.array().min(now) * slot(StateSlot::MinDiagonal);
    const Eigen::ArrayXd high = v.scale.array() * slot(StateSlot::MaxDiagonal);
    v.damping = v.d.array().max(low).min(high) / radius;
    v.damping = v.damping.cwiseProduct(v.free);
    v.inverse = (v.d + v.damping).cwiseInverse();
  } else {
    v.inverse = (length() + v.d.array().sqrt()).square().inverse();
  }
  if (!jacobi_) v.inverse.setOnes();
  v.inverse = v.free.array().select(v.inverse.array(), 0.0);
  v.delta = VectorXd::Zero(v.x.size());
  v.r = v.b;
}

// docs/algorithms.md, "The linear solve", line by line.
void DenseExecutable::run_linear_loop(const LinearLoop& loop) {
  log(Phase::Apply);
  Vectors& v = *v_;
  const MatrixXd a = v.jtj + MatrixXd(v.damping.asDiagonal());
  VectorXd z = v.inverse.cwiseProduct(v.r);
  VectorXd p = z;
  double rz = v.r.dot(z);
  double q0 = 0;
  int iteration = 0;
  while (rz != 0 && iteration < loop.max_iterations) {
    ++iteration;
    const VectorXd ap = a * p;
    const double pap = p.dot(ap);
    const double alpha = pap > 0 ? rz / pap : 0;
    v.delta += alpha * p;
    const bool reset = loop.reset_period > 0 && iteration % loop.reset_period == 0;
    v.r = reset ? VectorXd(v.b - a * v.delta) : VectorXd(v.r - alpha * ap);
    z = v.inverse.cwiseProduct(v.r);
    const double rz_next = v.r.dot(z);
    if (const double tolerance = slot(StateSlot::QTolerance); tolerance > 0) {
      const double q1 = 0.5 * v.delta.dot(v.r + v.b);
      const double zeta = iteration * (q1 - q0) / q1;
      if (!std::isfinite(q1) || !std::isfinite(zeta) || zeta < tolerance) break;
      q0 = q1;
    }
    if (const double tolerance = slot(StateSlot::ResidualTolerance); tolerance > 0) {
      if (v.r.norm() <= tolerance * v.b.norm()) break;
    }
    p = z + rz_next / rz * p;
    rz = rz_next;
  }
  slot(StateSlot::LinearIteration) = iteration;
}

void DenseExecutable::solve_densely() {
  MatrixXd a = v_->jtj + MatrixXd(v_->damping.asDiagonal());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    if (a.row(i).isZero(0)) a(i, i) = 1;
  }
  v_->delta = a.ldlt().solve(v_->b);
  v_->r.setZero();
}

void DenseExecutable::retract() {
  Vectors& v = *v_;
  const VectorXd step = slot(StateSlot::StepFactor) * v.delta;
  v.trial = v.x + step;
  slot(StateSlot::ModelDecrease) = step.dot(v.b) - 0.5 * step.dot(v.jtj * step);
  slot(StateSlot::DampedNorm2) = step.dot(v.damping.cwiseProduct(step));
  slot(StateSlot::StepNorm2) = step.squaredNorm();
  slot(StateSlot::XNorm2) = v.x.squaredNorm();
  slot(StateSlot::ScaledXNorm2) = v.x.dot(v.d.cwiseProduct(v.x));
}

}  // namespace thallo::test
