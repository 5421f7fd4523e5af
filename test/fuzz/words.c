// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutator for texts that consist of words: half of its changes are libFuzzer's of bytes, which nearly always break the
// text; the others keep more texts valid: a name for another, a number for another, a line or a group in brackets less,
// twice or elsewhere.
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { MOST_WORDS = 4096 };
typedef enum kind { NAME, NUMBER, OTHER } kind;
typedef struct word {
    size_t begin, end;
    kind kind;
} word;

typedef struct text {
    const uint8_t *data;
    size_t size;
    word words[MOST_WORDS];
    size_t count;
    uint64_t random;
} text;

static size_t draw(text *t, size_t n)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(t->random >> 33) % n;
}

static bool in_word(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '.' || c == '%';
}

static void split(text *t)
{
    for (size_t i = 0; i < t->size && t->count < MOST_WORDS;) {
        word w = {.begin = i, .kind = isdigit(t->data[i]) ? NUMBER : in_word(t->data[i]) ? NAME : OTHER};
        bool space = isspace(t->data[i]);
        do
            i++;
        while (w.kind != OTHER && i < t->size && in_word(t->data[i]));
        w.end = i;
        if (!space)
            t->words[t->count++] = w;
    }
}

// Some word of this kind; the given one when there is no other.
static size_t draw_word(text *t, kind k, size_t otherwise)
{
    size_t at = draw(t, t->count);
    for (size_t i = 0; i < t->count; i++, at = (at + 1) % t->count)
        if (t->words[at].kind == k)
            return at;
    return otherwise;
}

// From the line's or, every other time, the bracket's beginning to its end.
static word group_at(text *t, size_t at)
{
    size_t begin = t->words[at].begin, end = begin;
    if (draw(t, 2) == 0) {
        while (begin > 0 && t->data[begin - 1] != '\n')
            begin--;
        while (end < t->size && t->data[end] != '\n')
            end++;
        return (word){begin, end < t->size ? end + 1 : end, OTHER};
    }
    int depth = 0;
    while (begin > 0 && depth <= 0) {
        begin--;
        depth += (strchr("{([", t->data[begin]) != NULL) - (strchr("})]", t->data[begin]) != NULL);
    }
    for (depth = 0, end = begin; end < t->size; end++) {
        depth += (strchr("{([", t->data[end]) != NULL) - (strchr("})]", t->data[end]) != NULL);
        if (depth == 0)
            break;
    }
    return (word){begin, end < t->size ? end + 1 : end, OTHER};
}

// data[place] becomes the bytes; gives the new size, or 0 when there is no room.
static size_t replace(uint8_t *data, size_t size, size_t max_size, word place, const void *bytes, size_t len)
{
    size_t result = size - (place.end - place.begin) + len;
    if (result > max_size)
        return 0;
    memmove(data + place.begin + len, data + place.end, size - place.end);
    memcpy(data + place.begin, bytes, len);
    return result;
}

static size_t mutate(text *t, uint8_t *data, size_t max_size)
{
    static const char *const numbers[] = {"0", "1", "2", "3", "7", "100", "65536", "2147483647", "2147483648", "1e30", "0.5"};
    size_t at = draw(t, t->count), choice = draw(t, 8);
    word w = t->words[at];
    if (choice < 3 && w.kind == NUMBER && draw(t, 2) == 0) {
        const char *number = numbers[draw(t, sizeof numbers / sizeof *numbers)];
        return replace(data, t->size, max_size, w, number, strlen(number));
    }
    if (choice < 5) {
        word other = t->words[draw_word(t, w.kind, at)];
        return replace(data, t->size, max_size, w, t->data + other.begin, other.end - other.begin);
    }
    word group = group_at(t, at);
    if (choice == 5)
        return replace(data, t->size, max_size, group, "", 0);
    word place = choice == 6 ? (word){group.end, group.end, OTHER} : group_at(t, draw(t, t->count));
    if (choice == 7 && draw(t, 2) == 0)
        place.end = place.begin;
    return replace(data, t->size, max_size, place, t->data + group.begin, group.end - group.begin);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (seed % 2 == 0 || size == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    text *t = calloc(1, sizeof *t);
    uint8_t *copy = malloc(size);
    size_t result = 0;
    if (t != NULL && copy != NULL) {
        memcpy(copy, data, size);
        *t = (text){.data = copy, .size = size, .random = seed};
        split(t);
        if (t->count > 0)
            result = mutate(t, data, max_size);
    }
    free(copy);
    free(t);
    return result > 0 ? result : LLVMFuzzerMutate(data, size, max_size);
}
