// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// softproc-compile [--inexact] FILE FUNCTION CONTAINER [SCALAR...]: compiles a thread function of a file of LLVM IR (text or bitcode) and
// prints what it takes. The function's scalars get values.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "llc/softproc/compile.h"
#include "llc/softproc/softproc.h"

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) == 0 &&
        LLVMParseIRInContext(context, buffer, &module, &message) == 0)
        return module;
    fprintf(stderr, "softproc-compile: error: %s: %s\n", path, message);
    LLVMDisposeMessage(message);
    return NULL;
}

static bool write_container(arena *a, const sp_program *p, const char *path)
{
    size_t size;
    const uint8_t *bytes = sp_container(a, p, &size);
    FILE *out = fopen(path, "wb");
    bool written = out != NULL && fwrite(bytes, 1, size, out) == size;
    return out != NULL && fclose(out) == 0 && written;
}

// A constant register with a scalar has its other numbers, but is not given until the scalar is.
static void set_scalars(const spc_program *p, char **values, unsigned count)
{
    for (size_t i = 0; i < p->scalar_count; i++) {
        unsigned scalar = p->scalars[i].scalar, constant = p->scalars[i].constant;
        p->program->float_values[constant][p->scalars[i].component] = scalar < count ? strtof(values[scalar], NULL) : 0;
        sp_set_bit(p->program->given_floats, constant);
    }
}

int main(int argc, char **argv)
{
    bool inexact = argc > 1 && strcmp(argv[1], "--inexact") == 0;
    argc -= inexact;
    argv += inexact;
    if (argc < 4) {
        fprintf(stderr, "usage: softproc-compile [--inexact] FILE FUNCTION CONTAINER [SCALAR...]\n");
        return 2;
    }
    arena *a = arena_create();
    source_set sources;
    diag_engine diags;
    spc_program program;
    source_set_init(&sources, a);
    diag_init(&diags, a, &sources);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = read_module(context, argv[1]);
    LLVMValueRef function = module == NULL ? NULL : LLVMGetNamedFunction(module, argv[2]);
    if (module != NULL && function == NULL)
        diag_error_at(&diags, argv[1], "there is no function '%s'", argv[2]);
    spc_request request = {.arena = a, .diag = &diags, .inexact = inexact};
    bool ok = function != NULL && spc_compile(&request, module, argv[2], &program);
    if (ok) {
        set_scalars(&program, argv + 4, (unsigned)argc - 4);
        ok = write_container(a, program.program, argv[3]);
        printf("%s: %u arithmetic, %u lookups, %u registers, %u constants\n", argv[2], program.alu, program.tex,
               program.registers, program.constants);
        for (size_t i = 0; i < program.scalar_count; i++)
            printf("scalar %u is c%u.%c\n", program.scalars[i].scalar, program.scalars[i].constant,
                   "rgba"[program.scalars[i].component]);
    }
    diag_flush(&diags, stderr, DIAG_FORMAT_TEXT, false);
    if (module != NULL)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    arena_destroy(a);
    return ok ? 0 : 1;
}
