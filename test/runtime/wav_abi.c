// The runtime's own declarations of libsndfile are those of its header.
// RUN: %cc -std=c11 -Wall -Wextra -Werror -I%root -I%root/runtime/common -c %s -o %t.o
// REQUIRES: sndfile-header
#include <stddef.h>
#include <sndfile.h>

enum {
    THEIR_WAV = SF_FORMAT_WAV,
    THEIR_PCM_16 = SF_FORMAT_PCM_16,
    THEIR_PCM_24 = SF_FORMAT_PCM_24,
    THEIR_FLOAT = SF_FORMAT_FLOAT,
    THEIR_SUBMASK = SF_FORMAT_SUBMASK,
    THEIR_READ = SFM_READ,
    THEIR_WRITE = SFM_WRITE,
    THEIR_CLIPPING = SFC_SET_CLIPPING
};
typedef SF_INFO TheirInfo;
// Their functions, with our types' names for what is the same.
#define FUNCTION(result, name, parameters) static result(*const their_##name) parameters __attribute__((unused)) = name;
#include "wav_functions.def"
#undef FUNCTION

#define SF_FORMAT_WAV OWN_WAV
#define SF_FORMAT_PCM_16 OWN_PCM_16
#define SF_FORMAT_PCM_24 OWN_PCM_24
#define SF_FORMAT_FLOAT OWN_FLOAT
#define SF_FORMAT_SUBMASK OWN_SUBMASK
#define SFM_READ OWN_READ
#define SFM_WRITE OWN_WRITE
#define SFC_SET_CLIPPING OWN_CLIPPING
#define SNDFILE OwnFile
#define sf_private_tag OwnPrivate
#define sf_count_t OwnCount
#define SF_INFO OwnInfo
#include "runtime/common/wav_abi.h"

_Static_assert((int)OWN_WAV == THEIR_WAV && (int)OWN_PCM_16 == THEIR_PCM_16, "formats");
_Static_assert((int)OWN_PCM_24 == THEIR_PCM_24 && (int)OWN_FLOAT == THEIR_FLOAT, "formats");
_Static_assert((int)OWN_SUBMASK == THEIR_SUBMASK, "formats");
_Static_assert((int)OWN_READ == THEIR_READ && (int)OWN_WRITE == THEIR_WRITE, "modes");
_Static_assert((int)OWN_CLIPPING == THEIR_CLIPPING, "commands");
_Static_assert(sizeof(OwnInfo) == sizeof(TheirInfo), "SF_INFO");
#define SAME(field) _Static_assert(offsetof(OwnInfo, field) == offsetof(TheirInfo, field), #field)
SAME(frames);
SAME(samplerate);
SAME(channels);
SAME(format);
SAME(sections);
SAME(seekable);
