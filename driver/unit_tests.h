// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svmc --test: the tests of filters in the inputs, run one after the other.
#ifndef SVMC_DRIVER_UNIT_TESTS_H
#define SVMC_DRIVER_UNIT_TESTS_H

#include "driver/hlc_options.h"
#include "driver/process.h"

bool unit_tests_asked_for(const option_list *options);

// Makes an executable of SVM C in a file; gives the exit code.
typedef int unit_tests_compiler(tool_session *t, process_session *s, const driver_inputs *inputs, const char *text,
                                const char *output);
// Gives the exit code: EXIT_WRONG if a test fails.
int unit_tests_run(tool_session *t, const driver_inputs *inputs, unit_tests_compiler *compiler);

#endif
