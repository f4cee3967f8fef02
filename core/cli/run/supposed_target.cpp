#include "core/cli/run/supposed_target.h"

#include "core/backend/choose_device_spec.h"
#include "core/base/error.h"
#include "core/cli/require.h"

namespace thallo::cli {

SupposedTarget supposed_target(const RunOptions& options, const RunRequest& request) {
  if (const auto known = check_backend_name(request.backend); !known)
    throw UserError(known.error());
  SupposedTarget target{.backend = request.backend, .precision = request.precision};
  if (request.backend == "interpreter") {
    const auto interpreter = require(make_interpreter_backend(request.device));
    if (const auto legal = check_precision(*interpreter, request.precision); !legal)
      throw UserError(legal.error());
    target.precision = Precision::Double;
  }
  if (const std::string named = wanted_device_spec(options.device_spec); !named.empty())
    target.spec = require(named_device_spec(named, request.backend));
  return target;
}

}  // namespace thallo::cli
