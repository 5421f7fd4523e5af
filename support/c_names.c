// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of C.
#include "support/c_names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// C's keywords, macros of the headers that SVM C includes, and library functions declared there; in the order of their bytes.
// clang-format off
static const char *const names[] = {
    "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "INFINITY", "MAXFLOAT", "NAN", "NULL", "_Bool", "a64l", "abort", "abs",
    "acos", "acosf", "acosh", "alignas", "aligned_alloc", "alignof", "alloca", "arc4random", "arc4random_buf",
    "arc4random_uniform", "asin", "asinf", "asinh", "asm", "at_quick_exit", "atan", "atan2", "atan2f", "atanf", "atanh",
    "atexit", "atof", "atoi", "atol", "auto", "basename", "bcmp", "bcopy", "bool", "break", "bsearch", "bzero",
    "calloc", "case", "cbrt", "ceil", "ceilf", "char", "clearenv", "const", "constexpr", "continue", "copysign", "cos",
    "cosf", "cosh", "coshf", "default", "div", "do", "double", "drand48", "drand48_r", "drem", "ecvt", "ecvt_r", "else",
    "enum", "erand48", "erand48_r", "erf", "erfc", "errno", "exit", "exp", "exp10", "exp2", "expf", "explicit_bzero",
    "expm1", "extern", "fabs", "fabsf", "false", "fcvt", "fcvt_r", "fd_mask", "fd_set", "fdim", "ffs", "finite",
    "float", "floor", "floorf", "fma", "fmax", "fmaxf", "fmin", "fminf", "fmod", "for", "fpclassify", "free", "frexp",
    "gamma", "gcvt", "getenv", "getloadavg", "getsubopt", "goto", "hypot", "if", "ilogb", "index", "initstate",
    "initstate_r", "inline", "int", "iscanonical", "iseqsig", "isfinite", "isgreater", "isgreaterequal", "isinf",
    "isless", "islessequal", "islessgreater", "isnan", "isnormal", "issignaling", "issubnormal", "isunordered",
    "iszero", "j0", "j0f", "j0l", "j1", "j1f", "j1l", "jn", "jnf", "jnl", "jrand48", "jrand48_r", "l64a", "labs",
    "lcong48", "lcong48_r", "ldexp", "ldiv", "lgamma", "lgamma_r", "lgammaf_r", "lgammal_r", "linux", "llabs", "lldiv",
    "llrint", "llround", "log", "log10", "log10f", "log1p", "log2", "logb", "logf", "long", "lrand48", "lrand48_r",
    "lrint", "lround", "main", "malloc", "math_errhandling", "mblen", "mbstowcs", "mbtowc", "memccpy", "memchr",
    "memcmp", "memcpy", "memmove", "memset", "mkdtemp", "mkstemp", "mkstemps", "mktemp", "modf", "mrand48", "mrand48_r",
    "nan", "nearbyint", "nextafter", "nexttoward", "nrand48", "nrand48_r", "nullptr", "offsetof", "on_exit",
    "posix_memalign", "pow", "pow10", "powf", "pselect", "putenv", "qecvt", "qecvt_r", "qfcvt", "qfcvt_r", "qgcvt",
    "qsort", "quick_exit", "rand", "rand_r", "random", "random_r", "realloc", "reallocarray", "realpath", "register",
    "remainder", "remquo", "restrict", "return", "rindex", "rint", "rintf", "round", "roundf", "rpmatch", "scalb",
    "scalbln", "scalbn", "seed48", "seed48_r", "select", "setenv", "setstate", "setstate_r", "short", "signbit",
    "signed", "signgam", "significand", "sin", "sinf", "sinh", "sinhf", "sizeof", "sqrt", "sqrtf", "srand", "srand48",
    "srand48_r", "srandom", "srandom_r", "static", "static_assert", "stderr", "stdin", "stdout", "stpcpy", "stpncpy",
    "strcasecmp", "strcasecmp_l", "strcat", "strchr", "strcmp", "strcoll", "strcoll_l", "strcpy", "strcspn", "strdup",
    "strdupa", "strerror", "strerror_l", "strerror_r", "strlen", "strncasecmp", "strncasecmp_l", "strncat", "strncmp",
    "strncpy", "strndup", "strndupa", "strnlen", "strpbrk", "strrchr", "strsep", "strsignal", "strspn", "strstr",
    "strtod", "strtof", "strtok", "strtok_r", "strtol", "strtold", "strtoq", "strtoul", "strtouq", "struct", "strxfrm",
    "strxfrm_l", "switch", "system", "tan", "tanf", "tanh", "tanhf", "tgamma", "thread_local", "true", "trunc",
    "typedef", "typeof", "typeof_unqual", "u_char", "u_int", "u_long", "u_short", "uint", "ulong", "union", "unix",
    "unsetenv", "unsigned", "ushort", "valloc", "void", "volatile", "wcstombs", "wctomb", "while", "y0", "y0f", "y0l",
    "y1", "y1f", "y1l", "yn", "ynf", "ynl",
};
// clang-format on

// Names that begin so belong to the API, <math.h> and the compiler, whatever follows: M_PI_4, FP_NAN.
static const char *const beginnings[] = {"svm_", "SVM_", "mm_", "M_", "FP_", "MATH_", "HUGE_VAL", "SNAN"};

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
    size_t n = strlen(name), m = strlen(with);
    return n >= m && strcmp(name + n - m, with) == 0;
}

bool c_name_begins_reserved(const char *name)
{
    bool reserved = name[0] == '_';
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        reserved = reserved || begins(name, beginnings[i]);
    return reserved;
}

typedef struct piece {
    const char *text;
    size_t len;
} piece;

static int compare(const void *key, const void *element)
{
    const piece *wanted = key;
    const char *name = *(const char *const *)element;
    int order = strncmp(wanted->text, name, wanted->len);
    return order != 0 || name[wanted->len] == '\0' ? order : -1;
}

static bool is_listed(const char *text, size_t len)
{
    return bsearch(&(piece){text, len}, names, sizeof names / sizeof *names, sizeof *names, compare) != NULL;
}

bool c_name_is_listed(const char *name)
{
    return is_listed(name, strlen(name));
}

bool c_name_is_taken(const char *name)
{
    static const char *const limits_of[] = {"INT", "UINT", "SIZE_", "PTRDIFF_", "WCHAR_", "WINT_", "SIG_ATOMIC_"};
    size_t n = strlen(name);
    if (is_listed(name, n) || ends(name, "_t"))
        return true;
    bool limit = ends(name, "_MAX") || ends(name, "_MIN") || ends(name, "_WIDTH") || ends(name, "_C");
    for (size_t i = 0; limit && i < sizeof limits_of / sizeof *limits_of; i++)
        if (begins(name, limits_of[i]))
            return true;
    // The same function for float and long double.
    return n >= 4 && (name[n - 1] == 'f' || name[n - 1] == 'l') && is_listed(name, n - 1);
}
