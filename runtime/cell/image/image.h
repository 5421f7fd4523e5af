// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An SPE program as svm-spu-gcc builds it: a shared object with one symbol, svm_cell_image. Between the generated code
// and the emulation; not an interface for programs.
#ifndef SVM_CELL_IMAGE_H
#define SVM_CELL_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define CELL_IMAGE_ABI 4

typedef struct cell_spu cell_spu;

typedef enum cell_trap {
    CELL_TRAP_MEMORY,      // access beyond the local store
    CELL_TRAP_STACK,       // calls too deep
    CELL_TRAP_DIVIDE,      // integer division by zero
    CELL_TRAP_OVERFLOW,    // INT_MIN / -1, conversion of a number that does not fit
    CELL_TRAP_UNREACHABLE, // abort(), __builtin_trap()
    CELL_TRAP_CALL,        // call through a pointer that is no function of that type
} cell_trap;

typedef struct cell_host {
#define CELL_IMPORT(module, name, field, result, letters, letter, parameters) result(*field) parameters;
#include "imports.def"
#undef CELL_IMPORT
    void (*trap)(cell_spu *spu, cell_trap trap, uint32_t site, uint32_t address) __attribute__((noreturn));
    // A loop waits for the local store to change.
    void (*poll)(cell_spu *spu);
    // A load or store meets a block of the local store that a transfer under way moves something in.
    void (*busy)(cell_spu *spu, uint32_t site, uint32_t address, uint32_t size, int store);
} cell_host;

// What generated code knows of the SPE that it runs on; the program's globals follow in memory.
struct cell_spu {
    uint8_t *ls;
    const cell_host *host;
    const char *stack_limit;
    const volatile uint8_t *busy; // by block of 128 bytes: transfers under way
};

typedef struct cell_site {
    uint32_t file, line, function; // indices; line 0 is unknown
} cell_site;

typedef struct cell_image {
    uint32_t abi;
    uint32_t check_dma;
    const char *name;
    size_t instance_size;
    uint32_t data_size; // constants, data and stack, in bytes of the local store
    uint32_t stack_size;
    // Puts the program into the local store; runs it.
    void (*load)(cell_spu *spu);
    void (*start)(cell_spu *spu, const uint64_t *registers); // 3 to 5, of two words each
    const char *const *files, *const *functions;
    const cell_site *sites;
    uint32_t site_count;
} cell_image;

#endif
