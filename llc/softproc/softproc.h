// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembler and disassembler of the soft processor; docs/softproc.md describes the text.
#ifndef SVMC_LLC_SOFTPROC_SOFTPROC_H
#define SVMC_LLC_SOFTPROC_SOFTPROC_H

#include "llc/softproc/isa.h"
#include "support/diag.h"
#include "support/strbuf.h"

// Assembles a text that is already a source, and verifies the program. NULL after errors, which are in d.
sp_program *sp_assemble(arena *a, diag_engine *d, source_id file);
// The container's bytes.
uint8_t *sp_container(arena *a, const sp_program *p, size_t *size);
// Reads and verifies a container; name is what messages call it. NULL after errors.
sp_program *sp_read_program(arena *a, diag_engine *d, const char *name, const void *data, size_t size);
// Text that assembles to the same program. With addresses, each instruction's number and words are comments. Where the source has
// instructions is a comment in front of them, if the program says so.
void sp_disassemble(const sp_program *p, bool addresses, strbuf *out);
// One instruction of arithmetic or texture, in the short form where that is exact.
void sp_print_instruction(const sp_instruction *in, strbuf *out);

#endif
