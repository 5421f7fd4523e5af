// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages: which SPE, where in its program, what it did, which rule.
#include "runtime/cell/emulation/emulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cell_site_text(const spe *s, uint32_t site, char *buffer, size_t size)
{
    buffer[0] = 0;
    const cell_image *image = s->image;
    if (image && site < image->site_count && image->sites[site].line)
        snprintf(buffer, size, "%s:%u: ", image->files[image->sites[site].file], image->sites[site].line);
    return buffer;
}

const char *cell_function_of(const spe *s, uint32_t site)
{
    const cell_image *image = s->image;
    if (!image || !site || site >= image->site_count)
        return "";
    return image->functions[image->sites[site].function];
}

void cell_message(const spe *s, uint32_t site, const char *format, ...)
{
    char place[300], text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(stdout);
    const char *function = cell_function_of(s, site);
    fprintf(stderr, "svm-cell: error: SPE %u (%s%s%s): %s%s\n", s->number, s->image ? s->image->name : "no program",
            *function ? ", " : "", function, cell_site_text(s, site, place, sizeof place), text);
}

void cell_die(void)
{
    fflush(NULL);
    _exit(1);
}

static void describe(const cell_command *c, uint32_t element, uint64_t ea, char *text, size_t size)
{
    const char *name = cell_command_name(c->opcode);
    const uint32_t is = cell_command_is(c->opcode);
    if (!name)
        snprintf(text, size, "command 0x%02x, tag %u", c->opcode, c->tag);
    else if (is & CELL_IS_ORDER)
        snprintf(text, size, "%s, tag %u", name, c->tag);
    else if (is & CELL_IS_LIST && ea)
        snprintf(text, size, "%s, tag %u, element %u, effective address 0x%llx", name, c->tag, element,
                 (unsigned long long)ea);
    else if (is & CELL_IS_LIST)
        snprintf(text, size, "%s, tag %u, list of %u bytes at local store 0x%x, data at 0x%x", name, c->tag, c->size,
                 (uint32_t)c->ea, c->lsa);
    else
        snprintf(text, size, "%s of %u bytes, tag %u, local store 0x%x, effective address 0x%llx", name, c->size,
                 c->tag, c->lsa, (unsigned long long)c->ea);
}

// Data and heap have addresses of 32 bits, so an address that only has the upper ones was put together the other way round.
static const char *hint(cell_rule rule, uint64_t ea)
{
    return rule == CELL_RULE_EA_MAPPED && ea != 0 && (uint32_t)ea == 0
               ? "; its halves are exchanged: the first word of 64 bits is the lower one here, as this computer has it"
               : "";
}

void cell_break_command(spe *s, cell_rule rule, const cell_command *command, uint32_t element, uint64_t ea)
{
    const cell_rule_facts *facts = cell_rule_get(rule);
    char text[300];
    describe(command, element, ea, text, sizeof text);
    cell_message(s, command->site, "%s: %s%s [%s]", text, facts->text, hint(rule, ea ? ea : command->ea), facts->name);
    if (!(s->flags & SPE_EVENTS_ENABLE))
        cell_die();
    s->stop = (spe_stop_info_t){.stop_reason = SPE_RUNTIME_EXCEPTION, .spu_status = -1};
    s->stop.result.spe_runtime_exception = (int)facts->exception;
    s->must_leave = true;
    cell_changed(s);
}
