// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs emitted as libraries (svmc --emit=lib) need beside svm/program.h or svm/dynamic.h: a program's own input
// and output in memory that the caller has, items that wait until they are enough for a steady state or until there is
// room for them, and errors that come back as return values. docs/library.md describes the functions that the emitted
// header offers; each is a call of one of these.
//
// Each svm_Library has a machine of its own, so that instances can be used side by side, each by one thread at a time.
#ifndef SVM_LIBRARY_H
#define SVM_LIBRARY_H

#include "svm/program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct svm_Net;
struct svm_Rounds;

// What a function gives.
enum {
    SVM_LIBRARY_OK = 0,
    SVM_LIBRARY_ENDED = 1,  // the program has ended, and all it gave has been taken
    SVM_LIBRARY_ERROR = -1, // svm_libraryError tells; what is counted as taken and given is so all the same
};
enum { SVM_LIBRARY_NOW = -1 };

// A program as a library has it.
typedef struct svm_LibraryRow {
    const svm_Program *program;
    void (*forget)(void *instance); // frees what is not its machine's, which is gone, and writes nothing
    const char *prefix;             // of its functions' names, for messages
    size_t inputSize, outputSize;   // bytes of an item as it lies in memory; 0: it takes none, or gives none
    int64_t initInput, steadyInput; // items that the initialisation takes, and a steady state
    int64_t steadyOutput;           // items that a steady state gives; -1: it differs
} svm_LibraryRow;

// A running program. NULL after an error: svm_libraryError(NULL).
svm_Library *svm_libraryCreate(const svm_LibraryRow *row);
// Takes up to count items and gives up to capacity ones. It takes all unless there is no room for what the program
// makes of them, or it has ended. *consumed and *produced tell how many; both may be NULL if there are no such items.
// in and out do not overlap.
int svm_libraryProcess(svm_Library *l, const void *in, size_t count, size_t *consumed, void *out, size_t capacity,
                       size_t *produced);
// Up to so many steady states, of a program that neither takes nor gives items.
int svm_libraryRun(svm_Library *l, int64_t steadyStates);
// The input has ended: gives what is left, up to capacity items at a time, until the result is SVM_LIBRARY_ENDED.
int svm_libraryDrain(svm_Library *l, void *out, size_t capacity, size_t *produced);
// A message of a row of the program's outside (svm/messages.h). when: before the first firing that depends on that item
// of the input, counted from 0 (a program without input: in that steady state); SVM_LIBRARY_NOW: before the next firing.
// function: its name, for messages.
int svm_librarySend(svm_Library *l, const char *function, size_t row, void *arguments, int64_t when);
// As if it had just been created.
int svm_libraryReset(svm_Library *l);
// Closes what is open and frees everything; NULL is allowed.
int svm_libraryDestroy(svm_Library *l);
// The last error of it; of NULL: of this thread's last svm_libraryCreate or svm_libraryDestroy that gave one.
const char *svm_libraryError(const svm_Library *l);

// For a program's create function: the instance that is being set up, should it be given up.
void svm_libraryKeep(const svm_Settings *settings, void *instance);
// For its forget function.
void svm_writerForget(svm_Writer *w);
void svm_netForget(struct svm_Net *n);

#ifdef __cplusplus
}
#endif

#endif
