// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spas: the soft processor's assembler, text to container.
#include <string.h>

#include "driver/softproc_tool.h"
#include "llc/softproc/softproc.h"

// "a/b.sp" gives "a/b.spo".
static const char *output_name(tool_session *t, const char *input)
{
    const char *given = option_last(&t->options, OPT_OUTPUT), *dot = strrchr(input, '.');
    if (given != NULL)
        return given;
    if (strcmp(input, "-") == 0)
        return "-";
    size_t n = dot != NULL && strchr(dot, '/') == NULL && dot != input ? (size_t)(dot - input) : strlen(input);
    return arena_printf(t->arena, "%.*s.spo", (int)n, input);
}

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_SPAS, argc, argv, &status))
        return status;
    const char *input = softproc_input(&t);
    if (input == NULL)
        return tool_finish(&t, EXIT_USAGE);
    source_id file = tool_read(&t, input);
    sp_program *p = file == 0 ? NULL : sp_assemble(t.arena, &t.diags, file);
    if (p != NULL) {
        size_t size;
        const uint8_t *bytes = sp_container(t.arena, p, &size);
        tool_write(&t, output_name(&t, input), (const char *)bytes, size);
    }
    return tool_finish(&t, EXIT_OK);
}
