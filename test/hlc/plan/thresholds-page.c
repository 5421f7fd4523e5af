// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints docs/thresholds.md from hlc/plan/thresholds.def.
//     thresholds-page > docs/thresholds.md
#include <stdio.h>

int main(void)
{
    fputs("# Thresholds of the plan\n"
          "\n"
          "<!-- Made by test/hlc/plan/thresholds-page.c from hlc/plan/thresholds.def. Do not edit. -->\n"
          "\n"
          "The passes of the [plan](plan.md) decide by these numbers. They are the same for all machines.\n",
          stdout);
#define TOPIC(title)                                                                                                   \
    fputs("\n## " title "\n\n| number | value | unit | what it decides | origin |\n|---|---|---|---|---|\n", stdout);
#define WHOLE(name, value, unit, decides, origin)                                                                      \
    fputs("| `" #name "` | " #value " | " unit " | " decides " | " origin " |\n", stdout);
#define SHARE(name, value, unit, decides, origin) WHOLE(name, value, unit, decides, origin)
#include "hlc/plan/thresholds.def"
    return fflush(stdout) != 0;
}
