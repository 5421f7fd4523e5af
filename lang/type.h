// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the source languages, shared by all front ends. Lengths of arrays are expressions, known only when the graph
// is elaborated (a stream's parameters may occur in them); two array types of the front end are therefore "the same" when
// rank and element agree, and elaboration compares the lengths (streamit.md 3.1).
#ifndef SVMC_LANG_TYPE_H
#define SVMC_LANG_TYPE_H

#include <stdbool.h>

#include "support/strbuf.h"

struct ast_expr;
struct ast_struct;
struct ast_stream;

typedef enum lang_type_kind {
    TYPE_ERROR, // of something already reported: every check accepts it silently
    TYPE_VOID,
    TYPE_BOOLEAN,
    TYPE_BIT, // an int whose value the program keeps in 0..1 (streamit.md 3.3)
    TYPE_INT,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_COMPLEX, // a pair of floats
    TYPE_STRING,  // literals, concatenations, file names and 'String' parameters
    TYPE_STRUCT,
    TYPE_ARRAY,
    TYPE_PORTAL,
    TYPE_UNTYPED, // the unwritten input or output type of an anonymous composite, until it is inferred
} lang_type_kind;

typedef struct lang_type lang_type;
struct lang_type {
    lang_type_kind kind;
    const lang_type *element;        // ARRAY: type of one element ('float[N][M]' is an array of N arrays of M floats)
    const struct ast_expr *length;   // ARRAY: int expression
    const struct ast_struct *decl;   // STRUCT
    const struct ast_stream *target; // PORTAL: the filter whose handlers it reaches; NULL after an error
};

// The types without parts exist once each; compare them by address or by kind.
extern const lang_type lang_type_error, lang_type_void, lang_type_boolean, lang_type_bit, lang_type_int,
    lang_type_float, lang_type_double, lang_type_complex, lang_type_string, lang_type_untyped;

// Same type, array lengths ignored; an error type is the same as any.
bool lang_type_same(const lang_type *a, const lang_type *b);
// The order of promotion boolean < bit < int < float < (double | complex) without boolean, which never converts
// (streamit.md 3.6 [rec]); int, bit and float promote to double; nothing promotes from double or to bit.
bool lang_type_promotes(const lang_type *from, const lang_type *to);
// The later of two in the order of promotion; NULL when there is none.
const lang_type *lang_type_common(const lang_type *a, const lang_type *b);
bool lang_type_is_numeric(const lang_type *t); // bit int float double complex
bool lang_type_is_real(const lang_type *t);    // bit int float double
// As a user writes it: "float[N][4]", "portal<Adder>".
void lang_type_print(strbuf *out, const lang_type *t);
const char *lang_type_name(arena *a, const lang_type *t);

#endif
