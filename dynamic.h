/* Dynamic as a C library, made by svmc 0.1.0 from /work/h3/test/library/Inputs/outside-dynamic.str.
   It takes items of int
   and gives items of int.
   Link with the library and the host runtime: pkg-config --libs svm-host, or CMake's svmc::svm-host. */
#ifndef SVMC_LIBRARY_D_H
#define SVMC_LIBRARY_D_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One running Dynamic. Several can be used side by side, each by one thread at a time. */
typedef struct D D;

/* What the functions give. After an error of the program itself an instance can only be reset or destroyed. */
enum {
    D_OK = 0,
    D_ENDED = 1, /* the program has ended, and all that it gave has been taken */
    D_ERROR = -1 /* D_error tells which */
};

/* A new one, which has run nothing yet; NULL after an error, which D_error(NULL) tells. */
D *D_create(void);

/* Takes up to count items and gives up to capacity ones; *consumed and *produced tell how many. It takes all
   unless there is no room for what comes out, or the program ends: call it again with the rest. In what
   portions items come and go makes no difference. */
int D_process(D *self, const int *in, size_t count, size_t *consumed, int *out, size_t capacity, size_t *produced);

/* There is no more input: gives what is left, up to capacity items at a time, until the result is D_ENDED. */
int D_drain(D *self, int *out, size_t capacity, size_t *produced);

/* Messages to the program's portals. One for item number `when` of the input, counted from 0, arrives just before
   the first firing that depends on that item; one for D_NOW before the receiver's next firing. An item that has
   not been given yet is always in time; too late is an error, and nothing is sent then. */
enum { D_NOW = -1 };
/* p.set(int p) */
int D_send_set(D *self, int p, int64_t when);

/* Makes it as if it were new. */
int D_reset(D *self);

/* Closes its files and frees it; NULL is allowed. */
int D_destroy(D *self);

/* The last error's message, "" if there was none; of NULL: that of this thread's last D_create or D_destroy
   with an error. It stays until the next error, reset or destroy. */
const char *D_error(const D *self);

#ifdef __cplusplus
}
#endif

#endif
