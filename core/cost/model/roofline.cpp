#include "core/cost/model/roofline.h"

#include <cmath>

namespace thallo {
namespace {

class Roofline final : public CostModel {
 public:
  std::string_view name() const override { return "roofline"; }
  std::string_view doc() const override {
    return "The paper's: bytes over bandwidth or operations over peak, whichever takes longer.";
  }

  double seconds(const StepWork& step, const ProgramWork& /*program*/,
                 const DeviceSpec& device) const override {
    return parts(step, {}, device).total();
  }
  // The shorter of the two is hidden.
  TimeParts parts(const StepWork& step, const ProgramWork& /*program*/,
                  const DeviceSpec& device) const override {
    const double flops = step.in_double ? device.double_flops : device.float_flops;
    const double memory = bytes(step.features, device) / device.copy;
    const double arithmetic = step.features.flops.total() / flops;
    TimeParts parts;
    if (memory >= arithmetic)
      parts[Wait::Memory] = memory;
    else
      parts[Wait::Arithmetic] = arithmetic;
    return parts;
  }

 private:
  static double bytes(const KernelFeatures& f, const DeviceSpec& device) {
    double bytes =
        f.index_bytes + f.reads.coalesced + f.writes.coalesced + 2 * f.scatters.coalesced;
    for (const Access& access : f.accesses) {
      const double times = access.kind == Access::Kind::Add ? 2 : 1;  // read and written
      switch (access.motion) {
        case Motion::ByOne:
          break;  // counted above
        // One sector serves a warp. Additions have been counted after the warp added up.
        case Motion::Still:
          bytes += access.kind == Access::Kind::Add
                       ? times * access.count * whole_sectors(access.bytes, device)
                       : access.count / device.lanes * whole_sectors(access.bytes, device);
          break;
        case Motion::Jumps:
          bytes += times * access.count * whole_sectors(access.bytes, device);
          break;
      }
    }
    return bytes;
  }
  static double whole_sectors(double bytes, const DeviceSpec& device) {
    return std::ceil(bytes / device.sector) * device.sector;
  }
};

}  // namespace

std::unique_ptr<const CostModel> make_roofline_model() { return std::make_unique<Roofline>(); }

}  // namespace thallo
