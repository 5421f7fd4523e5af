// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang as the compiler of C, for the backends that go through it: the flags that fix arithmetic, the table of machines
// that the API's header includes, the sources of a session.
#ifndef SVMC_LLC_CC_H
#define SVMC_LLC_CC_H

#include "llc/backend.h"

void cc_add(llc_session *s, llc_strings *command, const char *word);
// Everything that decides what the code does: arithmetic, -O, -g, -march, -I, -D.
void cc_add_code_flags(llc_session *s, llc_strings *command);
// What the user has for the linker: behind all inputs, before the runtime, which such libraries may call.
void cc_add_link_flags(llc_session *s, llc_strings *command);
// What a source of a session with SVM C needs besides: the table at path, and no second report of warnings that the
// reader has reported.
void cc_add_table_flags(llc_session *s, llc_strings *command, const char *source, const char *table);
// Writes a file with the session's machine table, followed by more, and gives its path; NULL after an error.
const char *cc_write_table(llc_session *s, const char *more);

// All C sources of the session: SVM C and others.
void cc_sources(llc_session *s, llc_strings *sources);
// Standard input has been read already; clang gets its text from a file.
bool cc_store_standard_input(llc_session *s);
// Runs the executable in s->output.
bool cc_run(llc_session *s, const char *const *arguments);

#endif
