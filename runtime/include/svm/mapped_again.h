// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds that processors repeat by themselves (svm_Sequence): what svm/mapped_control.h has of them.
// ---- Rounds that come again and again ----

// Bytes of so many periods; and of what lies in front of them where they are not in a file, as engines like it.
static inline size_t svm_roundAgainBytes(const svm_RoundQueue *queue, int64_t periods)
{
    return (size_t)(periods * SVM_PERIOD * queue->step) * queue->size;
}

static inline const svm_RoundFile *svm_roundAgainFile(int place)
{
    return place < SVM_INPUTS ? &svm_roundInputs[place] : &svm_roundOutputs[place - SVM_INPUTS];
}

static inline size_t svm_roundAgainFront(int place)
{
    enum { LINE = 128 };
    const size_t size = svm_roundQueues[svm_roundAgainFile(place)->queue].size;
    return ((size_t)svm_roundPlaceFront(place) * size + LINE - 1) / LINE * LINE;
}

// Whether rounds are of a kind that can be repeated: one file is read, of which it is known how much is left.
static inline bool svm_roundAgainCan(void)
{
    bool can = SVM_INPUTS == 1;
    for (int i = 0; i < SVM_INPUTS + SVM_OUTPUTS; i++)
        can &= svm_roundQueues[svm_roundAgainFile(i)->queue].step != 0 &&
               !svm_roundQueues[svm_roundAgainFile(i)->queue].linked;
    return can;
}

// So many periods at once that what they need of memory is not much.
static inline int64_t svm_roundAgainMost(void)
{
    enum { MOST_PERIODS = 8, MOST_BYTES = 16 << 20 };
    int64_t most = MOST_PERIODS;
    for (int i = 0; i < SVM_INPUTS + SVM_OUTPUTS; i++) {
        const size_t bytes = svm_roundAgainBytes(&svm_roundQueues[svm_roundAgainFile(i)->queue], 1);
        most = bytes < MOST_BYTES / (size_t)most ? most : MOST_BYTES / (int64_t)bytes;
    }
    return most;
}

// Bytes of all stretches of memory.
static inline size_t svm_roundAgainNeeds(const svm_Rounds *self)
{
    size_t bytes = 0;
    for (int i = 0; i < SVM_INPUTS + SVM_OUTPUTS; i++) {
        const svm_RoundQueue *queue = &svm_roundQueues[svm_roundAgainFile(i)->queue];
        bytes += 2 * (svm_roundAgainFront(i) + svm_roundAgainBytes(queue, self->again.most));
    }
    return bytes;
}

// Steady states are the same from here on: priming does not begin with the program any more.
static inline bool svm_roundAgainSteady(const svm_Rounds *self)
{
    bool steady = self->round >= 2 * SVM_SLOTS;
    for (int k = 0; k < SVM_KERNELS; k++)
        steady &= self->steadyStates >= svm_roundKernels[k].repeat;
    return steady;
}

// The rounds of a turn begin at an address.
static inline void svm_roundAgainPlace(svm_Rounds *self, int place, size_t address, int64_t items)
{
    const svm_RoundQueue *queue = &svm_roundQueues[svm_roundAgainFile(place)->queue];
    const int64_t front = svm_roundPlaceFront(place);
    svm_blockInit(&self->again.places[place][self->again.turn].rounds, svm_roundMemory,
                  address - (size_t)front * queue->size, (size_t)(front + items), queue->size);
}

// A stretch of memory for a place.
static inline void svm_roundAgainStay(svm_Rounds *self, int place)
{
    svm_RoundsAgain *again = &self->again;
    const svm_RoundQueue *queue = &svm_roundQueues[svm_roundAgainFile(place)->queue];
    const size_t front = svm_roundAgainFront(place);
    size_t *memory = &again->places[place][again->turn].memory;
    if (*memory == 0)
        *memory = svm_alloc(svm_roundMemory, front + svm_roundAgainBytes(queue, again->most));
    svm_roundAgainPlace(self, place, *memory + front, again->most * SVM_PERIOD * queue->step);
}

// Items from so many in front of a place's rounds on.
static inline char *svm_roundAgainItems(svm_Rounds *self, int place, int turn, int64_t first)
{
    const svm_RoundQueue *queue = &svm_roundQueues[svm_roundAgainFile(place)->queue];
    return (char *)svm_blockData(&self->again.places[place][turn].rounds) +
           (svm_roundPlaceFront(place) + first) * (int64_t)queue->size;
}

// The rounds of the last period lie there.
static inline void svm_roundAgainBase(svm_Rounds *self, int place, int64_t periods)
{
    const int q = svm_roundAgainFile(place)->queue;
    const size_t round = svm_roundAgainBytes(&svm_roundQueues[q], 1) / SVM_SLOTS;
    const size_t front = (size_t)svm_roundPlaceFront(place) * svm_roundQueues[q].size;
    for (int slot = 0; slot < SVM_SLOTS; slot++) {
        self->mapped[q][slot] = true;
        self->base[q][slot] = self->again.places[place][self->again.turn].rounds.address + front +
                              round * (size_t)((periods - 1) * SVM_SLOTS + slot);
    }
}

// Files' items are read and written a period at a time; with the first, it is found whether all lie in the file.
static inline void svm_roundAgainRead(svm_Rounds *self, int place, int64_t periods, int64_t period)
{
    svm_RoundsAgain *again = &self->again;
    const svm_RoundFile *f = svm_roundAgainFile(place);
    const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
    const int64_t items = periods * SVM_PERIOD * queue->step;
    svm_Reader *file = &self->readers[f->file].file;
    bool *mapped = &again->places[place][again->turn].mapped;
    size_t address;
    if (period == 0) {
        *mapped = f->maps && svm_readerMap(file, svm_roundMemory, (size_t)f->units, f->before, items, &address);
        if (*mapped)
            svm_roundAgainPlace(self, place, address, items);
        else
            svm_roundAgainStay(self, place);
    }
    if (period == 0 && !*mapped && queue->halo != 0) {
        svm_Block last; // of the round before
        svm_blockInit(&last, svm_roundMemory,
                      self->base[f->queue][SVM_SLOTS - 1] +
                          (size_t)(SVM_ROUND * queue->step - queue->halo) * queue->size,
                      (size_t)queue->halo, queue->size);
        memcpy(svm_roundAgainItems(self, place, again->turn, -queue->halo), svm_blockData(&last),
               (size_t)queue->halo * queue->size);
    }
    if (!*mapped)
        svm_readerReadAll(file, svm_roundAgainItems(self, place, again->turn, period * SVM_PERIOD * queue->step),
                          SVM_PERIOD * queue->step);
}

// Makes room for what so many periods give.
static inline void svm_roundAgainRoom(svm_Rounds *self, int place, int64_t periods)
{
    svm_RoundsAgain *again = &self->again;
    const svm_RoundFile *f = svm_roundAgainFile(place);
    const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
    const int64_t items = periods * SVM_PERIOD * queue->step;
    bool *mapped = &again->places[place][again->turn].mapped;
    size_t address;
    *mapped = f->maps && svm_writerMap(&self->writers[f->file], svm_roundMemory, (size_t)f->units, items, &address);
    if (*mapped) // nobody waits for its rounds one by one
        svm_writerSettle(&self->writers[f->file], items);
    if (*mapped)
        svm_roundAgainPlace(self, place, address, items);
    else
        svm_roundAgainStay(self, place);
}

// Writes a period of what the rounds of a turn gave, if it is not in the file: they are over.
static inline void svm_roundAgainWrite(svm_Rounds *self, int turn, int64_t period)
{
    svm_RoundsAgain *again = &self->again;
    for (int place = SVM_INPUTS; place < SVM_INPUTS + SVM_OUTPUTS; place++) {
        const svm_RoundFile *f = svm_roundAgainFile(place);
        const svm_RoundQueue *queue = &svm_roundQueues[f->queue];
        const int64_t items = SVM_PERIOD * queue->step, count = again->places[place][turn].stays;
        const size_t kept = (size_t)queue->delay * queue->size;
        if (period >= count)
            continue;
        char *front = svm_roundItems(self, f->queue, 0, -queue->delay); // what it is behind by
        char *behind = svm_roundAgainItems(self, place, turn, period * items - queue->delay);
        if (queue->delay != 0 && period == 0)
            memcpy(behind, front, kept);
        svm_writerWrite(&self->writers[f->file], behind, items);
        if (queue->delay != 0 && period + 1 == count)
            memcpy(front, behind + (size_t)items * queue->size, kept);
    }
}

// Of how many periods of a turn something is to be written.
static inline int64_t svm_roundAgainStaying(const svm_Rounds *self, int turn)
{
    int64_t most = 0;
    for (int place = SVM_INPUTS; place < SVM_INPUTS + SVM_OUTPUTS; place++)
        most = self->again.places[place][turn].stays > most ? self->again.places[place][turn].stays : most;
    return most;
}

// Rounds that were started one by one are over and written; those of mapped files need not be over.
static inline void svm_roundAgainBegin(svm_Rounds *self)
{
    bool wait = false;
    for (int i = 0; i < SVM_OUTPUTS; i++)
        for (int slot = 0; slot < SVM_SLOTS; slot++)
            wait |= self->states[slot] != 0 && (!self->mapped[svm_roundOutputs[i].queue][slot] ||
                                                svm_roundQueues[svm_roundOutputs[i].queue].delay != 0);
    for (int slot = 0; slot < SVM_SLOTS; slot++) {
        if (wait)
            svm_roundFinish(self, slot);
        for (int i = 0; i < SVM_OUTPUTS && !wait; i++)
            svm_writerSettle(&self->writers[svm_roundOutputs[i].file],
                             self->states[slot] * svm_roundQueues[svm_roundOutputs[i].queue].step);
        self->states[slot] = 0;
    }
    self->again.began = true;
    self->again.periods = 1;
}

// All of them are over and written.
static inline void svm_roundAgainEnd(svm_Rounds *self)
{
    svm_RoundsAgain *again = &self->again;
    if (!again->began)
        return;
    svm_sequenceWait(again->runs, true);
    for (int i = 0; i < 2; i++) {
        const int turn = i == 0 ? again->turn : 1 - again->turn;
        for (int64_t period = 0; period < svm_roundAgainStaying(self, turn); period++)
            svm_roundAgainWrite(self, turn, period);
        for (int place = SVM_INPUTS; place < SVM_INPUTS + SVM_OUTPUTS; place++)
            again->places[place][turn].stays = 0;
    }
    again->began = false;
}

// How many periods, up to so many, are asked for, and there is input for.
static inline int64_t svm_roundAgainPeriods(svm_Rounds *self, int64_t periods)
{
    const svm_RoundFile *f = &svm_roundInputs[0];
    const int64_t states = SVM_SLOTS * SVM_ROUND, asked = (self->iterations - SVM_ROUND) / states;
    const int64_t there = svm_readerThere(&self->readers[f->file].file) / (states * svm_roundQueues[f->queue].step);
    periods = periods < asked ? periods : asked;
    return periods < there ? periods : there;
}

// Items of the next periods are read, and those of the last but one written, bit by bit while the last are under way: all at
// once would take the memory from them. An eighth before the end all is done.
static inline void svm_roundAgainFiles(svm_Rounds *self, int64_t periods, bool stays)
{
    svm_RoundsAgain *again = &self->again;
    const int64_t written = svm_roundAgainStaying(self, again->turn);
    for (int64_t period = 0; period < periods || period < written; period++) {
        if (stays && period < periods)
            svm_sequencePace(again->runs, period * 7, periods * 8);
        svm_roundAgainWrite(self, again->turn, period);
        for (int place = 0; place < SVM_INPUTS && period < periods; place++)
            svm_roundAgainRead(self, place, periods, period);
    }
    for (int place = SVM_INPUTS; place < SVM_INPUTS + SVM_OUTPUTS; place++) {
        svm_roundAgainRoom(self, place, periods);
        again->places[place][again->turn].stays = again->places[place][again->turn].mapped ? 0 : periods;
    }
    for (int place = 0; place < SVM_INPUTS + SVM_OUTPUTS; place++)
        svm_roundAgainBase(self, place, periods);
}

static inline void svm_roundAgainRun(svm_Rounds *self, int64_t periods)
{
    svm_RoundsAgain *again = &self->again;
    svm_Block *places[SVM_INPUTS + SVM_OUTPUTS];
    size_t steps[SVM_INPUTS + SVM_OUTPUTS];
    bool stays = false; // what the turn's rounds of before use is used again
    for (int i = 0; i < SVM_INPUTS + SVM_OUTPUTS; i++)
        stays |= !again->places[i][again->turn].mapped;
    if (stays)
        svm_sequenceWait(again->runs, false);
    svm_roundAgainFiles(self, periods, stays);
    if (!stays)
        svm_sequenceWait(again->runs, false);
    for (int i = 0; i < SVM_INPUTS + SVM_OUTPUTS; i++) {
        places[i] = &again->places[i][again->turn].rounds;
        steps[i] = svm_roundAgainBytes(&svm_roundQueues[svm_roundAgainFile(i)->queue], 1);
    }
    svm_sequenceRun(again->runs, periods, places, steps);
    self->steadyStates += periods * SVM_PERIOD;
    self->iterations -= periods * SVM_PERIOD;
    self->round += periods * SVM_SLOTS;
    again->turn = 1 - again->turn;
    again->periods = 2 * again->periods < again->most ? 2 * again->periods : again->most;
}

// A period's rounds, as they are started one by one, are added to a sequence.
static inline void svm_roundAgainAdd(svm_Rounds *self)
{
    svm_RoundsAgain *again = &self->again;
    again->most = svm_roundAgainMost();
    again->runs = NULL;
    if (svm_roundAgainCan() && again->most > 0)
        again->runs = svm_sequenceCreate(SVM_INPUTS + SVM_OUTPUTS, svm_roundMemory, svm_roundAgainNeeds(self));
    again->refused = again->runs == NULL;
    again->adds = !again->refused;
    again->added = 0;
}

// A round of so many steady states is about to be started; one that is not whole is not added.
static inline void svm_roundAgainStart(svm_Rounds *self, int64_t states)
{
    svm_RoundsAgain *again = &self->again;
    if (!again->adds)
        return;
    if (states == SVM_ROUND && again->added < SVM_SLOTS) {
        again->added++;
        return;
    }
    svm_sequenceDestroy(again->runs);
    again->runs = NULL;
    again->adds = false;
}

// The round of slot 0 is the next, and a whole one is asked for: rounds come again and again for as long as there is input.
static inline void svm_roundAgain(svm_Rounds *self)
{
    svm_RoundsAgain *again = &self->again;
    if (again->refused || self->placed || !svm_roundAgainSteady(self))
        return;
    if (again->adds) {
        again->adds = false;
        again->refused = !svm_sequenceMade(again->runs);
    }
    if (!again->refused && again->runs == NULL && svm_roundAgainPeriods(self, 2) == 2)
        svm_roundAgainAdd(self); // the rounds that come now
    if (again->refused || again->adds || again->runs == NULL || svm_roundAgainPeriods(self, 1) == 0)
        return;
    svm_roundAgainBegin(self);
    for (int64_t periods; (periods = svm_roundAgainPeriods(self, again->periods)) > 0;)
        svm_roundAgainRun(self, periods);
    svm_roundAgainEnd(self);
}
