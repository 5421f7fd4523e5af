// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-opt: passes of the high-level compiler over the text of stream IR or a plan, for tests and for looking into the
// compiler.
#include "driver/latency.h"
#include "driver/library.h"

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_OPT, argc, argv, &status))
        return status;
    driver_inputs inputs = {0};
    if (driver_list_passes(&t))
        return tool_finish(&t, EXIT_OK);
    driver_mode mode = driver_mode_of(&t.options, MODE_SIR);
    int64_t states;
    double items;
    if (!latency_read(&t, &states, &items) || !driver_find_inputs(&t, &inputs) || !driver_check_run_options(&t, mode) ||
        !library_check_options(&t, &inputs, mode))
        return tool_finish(&t, EXIT_USAGE);
    return tool_finish(&t, driver_run_hlc(&t, &inputs, mode));
}
