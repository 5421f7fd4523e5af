// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of libsndfile's binary interface that program_wav.c uses (its header is not needed to build the runtime;
// test/runtime/wav_abi.c compares the two).
#ifndef SVM_HOST_WAV_ABI_H
#define SVM_HOST_WAV_ABI_H

#include <stdint.h>

typedef struct sf_private_tag SNDFILE;
typedef int64_t sf_count_t;
typedef struct SF_INFO {
    sf_count_t frames;
    int samplerate, channels, format, sections, seekable;
} SF_INFO;

enum {
    SF_FORMAT_WAV = 0x010000,
    SF_FORMAT_PCM_16 = 0x0002,
    SF_FORMAT_PCM_24 = 0x0003,
    SF_FORMAT_FLOAT = 0x0006,
    SF_FORMAT_SUBMASK = 0xFFFF,
    SFM_READ = 0x10,
    SFM_WRITE = 0x20,
    SFC_SET_CLIPPING = 0x10C0,
};

#endif
