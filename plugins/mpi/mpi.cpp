// Processes that mpirun of Open MPI has started, for explorations on many machines:
//
//   mpirun -n 5 thallo explore image_warping
//
// This plugin is small and links no MPI: programs that are started alone load it, too, and need not
// wait for the library. What uses MPI is message_group.cpp, a library of its own beside it.
#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "core/plugin/abi.h"
#include "core/plugin/process_group.h"
#include "plugins/mpi/message_group.h"

namespace thallo {
namespace {

class OpenMpi final : public Launcher {
 public:
  explicit OpenMpi(std::filesystem::path library) : library_(std::move(library)) {}

  Expected<std::unique_ptr<ProcessGroup>> join() const override {
    // Open MPI opens components, which find its symbols only if these are global.
    void* library = dlopen(library_.c_str(), RTLD_NOW | RTLD_GLOBAL);
    const auto join = library != nullptr
                          ? reinterpret_cast<JoinMessageGroup>(dlsym(library, JoinMessageGroupName))
                          : nullptr;
    if (join == nullptr) return fail("Open MPI cannot be loaded: {}", dlerror());
    return std::unique_ptr<ProcessGroup>(join());
  }

 private:
  std::filesystem::path library_;
};

Expected<void> register_into(Registrar& registrar) {
  // Only programs that can be a group have a registry of launchers.
  if (registrar.registry<Launcher>() == nullptr) return {};
  return registrar.add<Launcher>(
      "mpi", std::make_unique<OpenMpi>(registrar.folder() / MessageGroupLibrary));
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("mpi", "1.0.0", "", thallo::register_into);
