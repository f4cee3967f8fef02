// The method `left_out_prediction`: predicts the shipped measurements of a problem by a cost model
// that was fitted to those of all other problems.
#pragma once

#include "core/cli/reproduce/methods.h"

namespace thallo::cli {

// Of the problem of the case, which must be one of the measurements (assets/models); the option
// `model` names what is fitted ["learned"]. Values of its steps, of which the times of schedules
// consist, each also with the prefix "analytic_", of the model that is not fitted:
//
//   steps  how many there are, without prefix
//   r2     the share of the variance of the logarithms of times that predictions explain
//   rho    Spearman's correlation of predicted and measured times
//
// Of its schedules, the median over those of its inputs that have at least LeastRanked:
//
//   schedules_rho  their correlation, also with the prefix
//   first          the time of the schedule that is predicted to be the fastest, over that of the
//                  fastest, also with the prefix
//   mean           their mean time over that of the fastest
//
// The curve has predicted and measured milliseconds of the steps.
MeasuredCase left_out_prediction(const CaseToMeasure& its);

}  // namespace thallo::cli
