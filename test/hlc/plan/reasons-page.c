// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints docs/reasons.md from hlc/plan/reasons.def.
//     reasons-page > docs/reasons.md
#include <stdio.h>

static void print_row(const char *text, const char *remedy)
{
    fputs("| ", stdout);
    for (const char *at = text; *at != 0; at++) {
        if (*at == '%' && at[1] != 0)
            fputs(*++at == 's' ? "NAME" : *at == 'r' ? "REASON" : "N", stdout);
        else
            fputs(*at == '|' ? "\\|" : (char[]){*at, 0}, stdout);
    }
    printf(" | %s |\n", remedy);
}

int main(void)
{
    fputs("# Reasons of the plan\n"
          "\n"
          "<!-- Made by test/hlc/plan/reasons-page.c from hlc/plan/reasons.def. Do not edit. -->\n"
          "\n"
          "The passes of the [plan](plan.md) say with these words why they did not do something. You see them\n"
          "in remarks (`--remarks`), in errors and in reports. NAME and N stand for names and numbers of your\n"
          "program, REASON for another reason. A remedy is given where you can change it in the program or with\n"
          "an option.\n",
          stdout);
#define TOPIC(title) fputs("\n## " title "\n\n| reason | remedy |\n|---|---|\n", stdout);
#define REASON(id, text, remedy) print_row(text, remedy);
#include "hlc/plan/reasons.def"
    return fflush(stdout) != 0;
}
