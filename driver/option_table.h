// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// options.def as arrays, for the parser and the help texts.
#ifndef SVMC_DRIVER_OPTION_TABLE_H
#define SVMC_DRIVER_OPTION_TABLE_H

#include "driver/options.h"

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_JOINED,
    OPTION_SEPARATE,
    OPTION_EITHER,
    OPTION_BOOLEAN,
} option_kind;

typedef enum option_group {
#define GROUP(id, title) GROUP_##id,
#include "driver/options.def"
    GROUP_COUNT
} option_group;

typedef struct option_row {
    const char *spelling;
    option_kind kind;
    const char *metavariable;
    option_group group;
    unsigned tools; // bit 1 << option_tool
    bool hidden;
    const char *help;
} option_row;

typedef struct tool_row {
    const char *name, *usage, *summary;
} tool_row;

extern const option_row option_rows[OPT_COUNT]; // by option_id; row 0 is no option
extern const tool_row tool_rows[];              // by option_tool
extern const char *const option_group_titles[GROUP_COUNT];

static inline bool option_is_for(option_id id, option_tool tool)
{
    return (option_rows[id].tools >> tool & 1) != 0;
}

// The i-th of the values that the option allows, and its length; NULL behind the last or when any value is allowed.
const char *option_choice(const option_row *row, size_t i, size_t *len);
// The spelling of a BOOLEAN's other form: --no-NAME or -fno-NAME.
const char *option_negative(arena *a, const option_row *row);

#endif
