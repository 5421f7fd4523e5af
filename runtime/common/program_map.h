// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files as memory: pieces of regular files that readers and writers map, so that engines move items from and to them.
#ifndef SVM_COMMON_PROGRAM_MAP_H
#define SVM_COMMON_PROGRAM_MAP_H

#include "runtime/common/internal.h"

typedef struct svmr_Mapping svmr_Mapping;

// What a file has mapped; all zero at first.
typedef struct svmr_MappedFile {
    bool writes;
    bool refused;       // once it could not be mapped it stays so: what others write lies behind
    int file;           // of a writer: the same file, open for both ways; 0: not yet
    int64_t known;      // pages of the machine's that are mapped lie below
    svmr_Mapping *last; // the one in use
} svmr_MappedFile;

// Before a file's first byte a mapping has so many zeroes at most; a multiple of all pages.
#define SVMR_MAP_LEAD ((size_t)1 << 16)

// Where a regular file's bytes `from` to `end` lie in a memory, which are there; NULL: they cannot be mapped. Before the
// file's first byte, for `from` down to -SVMR_MAP_LEAD, lie zeroes. A writer's
// file gets longer first; if there is no room for that, errno tells and *full is set.
char *svmr_mapFile(svmr_MappedFile *f, mm_Mem memory, int file, int64_t from, int64_t end, bool *full);
// Whether others have made the file shorter, so that zeroes took the place of its bytes.
bool svmr_mappedTorn(const svmr_MappedFile *f);
void svmr_unmapFile(svmr_MappedFile *f);

#endif
