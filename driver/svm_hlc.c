// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-hlc: the high-level compiler as a tool of its own, stream programs to SVM C.
#include "driver/latency.h"
#include "driver/library.h"

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_HLC, argc, argv, &status))
        return status;
    driver_inputs inputs = {0};
    if (driver_list_passes(&t))
        return tool_finish(&t, EXIT_OK);
    driver_mode mode = driver_mode_of(&t.options, MODE_SVM_C);
    int64_t states;
    double items;
    if (!latency_read(&t, &states, &items) || !driver_find_inputs(&t, &inputs) ||
        !library_check_options(&t, &inputs, mode))
        return tool_finish(&t, EXIT_USAGE);
    return tool_finish(&t, driver_run_hlc(&t, &inputs, mode));
}
