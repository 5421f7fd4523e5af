// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spdis: the soft processor's disassembler, container to text.
#include "driver/softproc_tool.h"
#include "llc/softproc/softproc.h"

int main(int argc, char **argv)
{
    tool_session t;
    int status;
    if (!tool_start(&t, TOOL_SPDIS, argc, argv, &status))
        return status;
    const char *input = softproc_input(&t);
    if (input == NULL)
        return tool_finish(&t, EXIT_USAGE);
    source_id file = tool_read(&t, input);
    const source_file *source = file == 0 ? NULL : source_get(&t.sources, file);
    sp_program *p = source == NULL ? NULL : sp_read_program(t.arena, &t.diags, source->name, source->text, source->len);
    if (p != NULL) {
        strbuf b;
        strbuf_init(&b, t.arena);
        sp_disassemble(p, option_flag(&t.options, OPT_ADDRESSES, false), &b);
        const char *output = option_last(&t.options, OPT_OUTPUT);
        tool_write(&t, output == NULL ? "-" : output, b.data, b.len);
    }
    return tool_finish(&t, EXIT_OK);
}
