// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the soft processor's tools have in common.
#ifndef SVMC_DRIVER_SOFTPROC_TOOL_H
#define SVMC_DRIVER_SOFTPROC_TOOL_H

#include "driver/tool.h"

// The one input; NULL after an error in the command line.
static inline const char *softproc_input(tool_session *t)
{
    const char *input = NULL;
    for (VEC_EACH(const option, o, &t->options.items)) {
        if (o->id != OPT_INPUT)
            continue;
        if (input != NULL) {
            diag_error_at(&t->diags, options_tool_name(t->options.tool), "more than one input: '%s' and '%s'", input,
                          o->value);
            return NULL;
        }
        input = o->value;
    }
    if (input == NULL)
        diag_error_at(&t->diags, options_tool_name(t->options.tool), "no input file");
    return input;
}

#endif
