// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of the high-level compiler that tests of filters go through too.
#ifndef SVMC_HLC_PIPELINE_H
#define SVMC_HLC_PIPELINE_H

#include "hlc/passes/pass.h"
#include "lang/ast.h"
#include "lang/brook/brook.h"

hlc_program pipeline_start(arena *a, diag_engine *d, const hlc_config *config);
// The checked syntax tree; NULL after errors. tests: only its tests are wanted.
ast_program *pipeline_read(hlc_program *p, const source_id *files, size_t count, bool tests);
// p->module, of the program or of a test; false after errors.
struct elaborate_test;
bool pipeline_build(hlc_program *p, const ast_program *program, struct elaborate_test *test);
bool pipeline_check_rates(hlc_program *p);
// The stream programs that a Brook program imports, known to it from then on; NULL: there are none, or errors.
const ast_program *pipeline_brook_streams(hlc_program *p, brook_program *program);
// Those that its host code calls, compiled: their SVM C is added to the host code, and to the first of its files what
// runs them. False after errors.
bool pipeline_brook_programs(hlc_program *p, const brook_program *program, const ast_program *streams,
                             hlc_hosts *hosts);
// From p->module to the text that is asked for; NULL after errors.
const char *pipeline_finish(hlc_program *p);

#endif
