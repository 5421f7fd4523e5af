// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitted programs on one processor read: a channel's block holds `kept` items that firings look back at, then those
// of an svm_Input. It stands on the SVM API alone, and its text may be put in place of the #include.
#ifndef SVM_INPUT_H
#define SVM_INPUT_H

#include <svm/program.h>

// Reads for up to `wanted` steady states of `step` items; gives for how many there is input.
static inline int64_t svm_inputRead(svm_Input *in, const svm_Block *channel, int64_t kept, int64_t step, int64_t wanted)
{
    char *items = (char *)svm_blockData(channel) + (size_t)(kept + in->held) * channel->elementSize;
    in->held += svm_readerRead(&in->file, items, wanted * step - in->held);
    return in->held / step < wanted ? in->held / step : wanted;
}

// The same for a channel that keeps nothing: its block may lie where the reader has the items.
static inline int64_t svm_inputTake(svm_Input *in, svm_Block *channel, int64_t step, int64_t wanted)
{
    if (in->held != 0 || !svm_readerLend(&in->file, channel, wanted * step))
        return svm_inputRead(in, channel, 0, step, wanted);
    in->held = wanted * step;
    return wanted;
}

// So many items have been used: what belongs to no whole steady state yet moves up behind what is kept.
static inline void svm_inputUsed(svm_Input *in, const svm_Block *channel, int64_t kept, int64_t used)
{
    char *items = (char *)svm_blockData(channel) + (size_t)kept * channel->elementSize;
    in->held -= used;
    memmove(items, items + (size_t)used * channel->elementSize, (size_t)in->held * channel->elementSize);
}

#endif
