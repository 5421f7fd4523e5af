// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --max-latency= in steady states or in seconds, and the --rate= that seconds need.
#ifndef SVMC_DRIVER_LATENCY_H
#define SVMC_DRIVER_LATENCY_H

#include "driver/tool.h"

// False after an error, which has been reported. *states and *items are 0 where there is no such bound.
bool latency_read(tool_session *t, int64_t *states, double *items);

#endif
