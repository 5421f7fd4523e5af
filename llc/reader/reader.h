// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From SVM C text to a unit. Internal to llc/.
#ifndef SVMC_LLC_READER_H
#define SVMC_LLC_READER_H

#include "llc/backend.h"

// Whether a C text is SVM C: it, or what it includes by a name in quotes, uses SVM_MACHINE outside comments and strings.
bool reader_is_svm_c(const llc_session *s, const char *path, const char *text, size_t len);
// Parses a file; false when it is not C. The unit is to be closed also then.
bool reader_parse(llc_session *s, llc_unit *unit);
// Collects what the macros of a parsed file say and resolves their names. False after errors; the functions are
// there all the same.
bool reader_collect(llc_session *s, llc_unit *unit);
void reader_close(llc_unit *unit);

// ---- Parts ----

// False, after an error, when the text is nested beyond what clang survives.
bool reader_check_nesting(llc_session *s, const llc_unit *unit);
// Appends a function of this role; NULL when the unit has it already.
llc_function *reader_add_function(llc_session *s, llc_unit *unit, llc_role role, CXCursor declaration);

// Places: where libclang says something is, as a range of the source set. Within macro expansions: where the macro
// is used.
src_range reader_range(llc_session *s, CXCursor cursor);
src_range reader_location(llc_session *s, CXSourceLocation location);
// Where word stands between the parentheses that follow at; at when it is not there.
src_range reader_word(llc_session *s, src_range at, const char *word);
// Reports clang's diagnostics; false when there were errors.
bool reader_report_clang(llc_session *s, const llc_unit *unit);
// Whether the cursor is in a header of the system or of the SVM API.
bool reader_is_foreign(CXCursor cursor);
char *reader_string(llc_session *s, CXString string); // takes and frees it

// The words of SVM_FIRE and SVM_KERNEL.
bool reader_parse_fire(llc_session *s, llc_function *f, const char *text, src_range at);
bool reader_parse_kernel(llc_session *s, llc_function *f, const char *text, src_range at);
// Resolves the unit's names against its machine, checks functions' types and visible placements (reader/resolve.c).
bool reader_resolve(llc_session *s, llc_unit *unit);

#endif
