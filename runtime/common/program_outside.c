// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages from outside a program: those of --set, of a file that --control names, and of a library's caller. They go to
// the receivers' mail from the control side, between runs, so that whoever receives none has none of it.
#include "runtime/common/program_messages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static SVMR_PRINTF(1, 2) char *problem(const char *format, ...)
{
    va_list args;
    char *text;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        svmr_fatalProgram("out of memory");
    va_end(args);
    return text;
}

// ---- Reading one ----

typedef struct Word {
    const char *at;
    size_t length;
} Word;

static bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Blanks and commas end a value.
static bool nextWord(const char **at, Word *w)
{
    const char *p = *at;
    while (isBlank(*p) || *p == ',')
        p++;
    w->at = p;
    while (*p && !isBlank(*p) && *p != ',')
        p++;
    w->length = (size_t)(p - w->at);
    *at = p;
    return w->length != 0;
}

static bool is(Word w, const char *text)
{
    return strlen(text) == w.length && memcmp(text, w.at, w.length) == 0;
}

static const char *nameOf(svm_Item item)
{
    static const char *const names[] = {
        [SVM_ITEM_INT] = "an int", [SVM_ITEM_FLOAT] = "a float",     [SVM_ITEM_DOUBLE] = "a double",
        [SVM_ITEM_BIT] = "a bit",  [SVM_ITEM_BOOLEAN] = "a boolean", [SVM_ITEM_COMPLEX] = "a float of a complex number",
    };
    return names[item];
}

// One scalar; false: the word is none.
static bool readScalar(svm_Item item, Word w, char *to)
{
    char text[64], *end = text;
    if (w.length >= sizeof text)
        return false;
    memcpy(text, w.at, w.length);
    text[w.length] = '\0';
    errno = 0;
    if (item == SVM_ITEM_BOOLEAN) {
        bool value = is(w, "true");
        memcpy(to, &value, sizeof value);
        return value || is(w, "false");
    }
    if (item == SVM_ITEM_INT || item == SVM_ITEM_BIT) {
        long value = strtol(text, &end, 0);
        int v = (int)value;
        memcpy(to, &v, sizeof v);
        bool fits = item == SVM_ITEM_BIT ? value == 0 || value == 1 : value >= INT_MIN && value <= INT_MAX;
        return end != text && *end == '\0' && errno == 0 && fits;
    }
    if (item == SVM_ITEM_DOUBLE) {
        double value = strtod(text, &end);
        memcpy(to, &value, sizeof value);
    } else {
        float value = strtof(text, &end);
        memcpy(to, &value, sizeof value);
    }
    return end != text && *end == '\0';
}

static size_t sizeOf(svm_Item item)
{
    return item == SVM_ITEM_DOUBLE ? sizeof(double) : item == SVM_ITEM_BOOLEAN ? sizeof(bool) : 4;
}

// Complex numbers are two scalars each.
static size_t scalarsOf(const svm_OutsideValue *v)
{
    return v->item == SVM_ITEM_COMPLEX ? 2 * v->count : v->count;
}

static size_t scalarCount(const svm_OutsideRow *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->valueCount; i++)
        count += scalarsOf(&r->values[i]);
    return count;
}

static char *readArguments(const svm_OutsideRow *r, const char *text, char *arguments)
{
    const char *at = text;
    Word w = {NULL, 0};
    size_t wanted = scalarCount(r), count = 0;
    while (nextWord(&at, &w))
        count++;
    if (count != wanted)
        return problem("'%s.%s' takes %zu value%s (%s), not %zu", r->portal, r->handler, wanted, wanted == 1 ? "" : "s",
                       wanted == 0 ? "it has no parameters" : r->parameters, count);
    at = text;
    for (size_t i = 0; i < r->valueCount; i++) {
        const svm_OutsideValue *v = &r->values[i];
        for (size_t k = 0; k < scalarsOf(v); k++) {
            (void)nextWord(&at, &w);
            if (!readScalar(v->item, w, arguments + v->offset + k * sizeOf(v->item)))
                return problem("'%.*s' is not %s; '%s.%s' takes (%s)", (int)w.length, w.at, nameOf(v->item), r->portal,
                               r->handler, r->parameters);
        }
    }
    return NULL;
}

// All messages there are, or those to a portal.
static char *listed(const svm_Outside *o, const char *portal)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0, n = 0; f && i < o->count; i++)
        if (!portal || strcmp(o->rows[i].portal, portal) == 0)
            fprintf(f, "%s%s.%s(%s)", n++ == 0 ? "" : ", ", o->rows[i].portal, o->rows[i].handler,
                    o->rows[i].parameters);
    if (f)
        fclose(f);
    return text;
}

static char *unknown(const svm_Outside *o, Word name)
{
    const char *dot = memchr(name.at, '.', name.length), *portal = NULL;
    for (size_t i = 0; dot && i < o->count; i++)
        if (is((Word){name.at, (size_t)(dot - name.at)}, o->rows[i].portal))
            portal = o->rows[i].portal;
    char *all = listed(o, portal), *text;
    if (portal)
        text = problem("the portal '%s' has no handler '%.*s'; it has %s", portal,
                       (int)(name.length - (size_t)(dot + 1 - name.at)), dot + 1, all ? all : "");
    else if (dot)
        text = problem("there is no portal '%.*s'; there is %s", (int)(dot - name.at), name.at, all ? all : "");
    else
        text = problem("expected Portal.handler=value,value, not '%.*s'; there is %s", (int)name.length, name.at,
                       all ? all : "");
    free(all);
    return text;
}

static const svm_OutsideRow *rowOf(const svm_Outside *o, Word name)
{
    for (size_t i = 0; i < o->count; i++) {
        size_t portal = strlen(o->rows[i].portal);
        if (name.length > portal && name.at[portal] == '.' && memcmp(name.at, o->rows[i].portal, portal) == 0 &&
            is((Word){name.at + portal + 1, name.length - portal - 1}, o->rows[i].handler))
            return &o->rows[i];
    }
    return NULL;
}

static void sendNow(svm_Net *n, const svm_OutsideRow *r, const void *arguments)
{
    for (size_t i = 0; i < r->toCount; i++)
        svmr_giveMail(n->kernels[r->to[i].kernel]->mail, 0, r->number, arguments, r->size);
}

static char *set(const svm_Outside *o, void *instance, const char *text)
{
    while (isBlank(*text))
        text++;
    size_t length = strcspn(text, "= \t\r,");
    const svm_OutsideRow *r = rowOf(o, (Word){text, length});
    if (!r)
        return unknown(o, (Word){text, length});
    char *arguments = svmr_allocate(1, r->size + 1);
    text += length;
    while (isBlank(*text))
        text++;
    char *wrong = readArguments(r, text + (*text == '='), arguments);
    if (!wrong && instance)
        sendNow(o->net(instance), r, arguments);
    free(arguments);
    return wrong;
}

static void list(const svm_Outside *o)
{
    printf("\nMessages that it takes, by --set and --control:\n");
    for (size_t i = 0; i < o->count; i++)
        printf("  %s.%s(%s)\n", o->rows[i].portal, o->rows[i].handler, o->rows[i].parameters);
}

// ---- Lines while it runs ----

// A line as far as it has come. Longer ones are skipped to their end.
enum { LONGEST_LINE = 1 << 16, LONGEST_ANSWER = 512 };

struct svm_Control {
    const svm_Outside *outside;
    void *instance;
    const char *path;
    int file;
    bool answers; // it is a socket: what is wrong with a line is said there too
    bool skipping;
    int64_t line; // number, for messages
    size_t length, room;
    char *text;
};

static void complain(const struct svm_Control *c, const char *what)
{
    fprintf(stderr, "%s: warning: %s:%lld: %s; this line does nothing\n", program_invocation_short_name, c->path,
            (long long)c->line, what);
    char answer[LONGEST_ANSWER];
    int count = snprintf(answer, sizeof answer, "%lld: %s; this line does nothing\n", (long long)c->line, what);
    size_t most = sizeof answer - 1;
    if (c->answers) // who does not listen is not waited for
        (void)send(c->file, answer, (size_t)count < most ? (size_t)count : most, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void endLine(struct svm_Control *c)
{
    c->line++;
    c->text[c->length] = '\0';
    const char *text = c->text;
    while (isBlank(*text))
        text++;
    if (c->skipping)
        complain(c, "it is too long");
    else if (strlen(c->text) != c->length)
        complain(c, "it has a byte 0");
    else if (*text && *text != '#') {
        char *wrong = set(c->outside, c->instance, text);
        if (wrong)
            complain(c, wrong);
        free(wrong);
    }
    c->length = 0;
    c->skipping = false;
}

static void takeBytes(struct svm_Control *c, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n' && c->length >= LONGEST_LINE)
            c->skipping = true;
        c->text = svmr_grow(c->text, &c->room, c->length + 2, 1);
        if (bytes[i] == '\n')
            endLine(c);
        else if (!c->skipping)
            c->text[c->length++] = bytes[i];
    }
}

// What is there is read, and nothing is waited for. All writers may have gone: others may come.
static void look(svm_Net *n)
{
    struct svm_Control *c = n->control;
    char bytes[4096];
    ssize_t count;
    while ((count = read(c->file, bytes, sizeof bytes)) > 0)
        takeBytes(c, bytes, (size_t)count);
}

static void endControl(svm_Net *n)
{
    struct svm_Control *c = n->control;
    if (!c)
        return;
    close(c->file);
    free(c->text);
    free(c);
    n->control = NULL;
    n->betweenRuns = NULL;
}

// A Unix socket on which somebody listens. -1: errno says why not.
static int connectTo(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path));
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0 || (connect(file, (const struct sockaddr *)&address, sizeof address) == 0 &&
                     fcntl(file, F_SETFL, O_NONBLOCK) == 0))
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

static char *control(const svm_Outside *o, void *instance, const char *path)
{
    svm_Net *n = o->net(instance);
    endControl(n);
    if (!path)
        return NULL;
    struct stat status;
    bool answers = stat(path, &status) == 0 && S_ISSOCK(status.st_mode);
    int file = answers ? connectTo(path) : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (answers && file < 0)
        return problem("cannot connect to '%s': %s", path, strerror(errno));
    if (file < 0 || fstat(file, &status) != 0)
        return problem("cannot open '%s': %s; 'mkfifo %s' makes a pipe that others write lines into", path,
                       strerror(errno), path);
    if (!S_ISFIFO(status.st_mode) && !answers) {
        close(file);
        return problem("'%s' is no FIFO, nor a socket; 'mkfifo PATH' makes one", path);
    }
    n->control = svmr_allocate(1, sizeof *n->control);
    *n->control =
        (struct svm_Control){.outside = o, .instance = instance, .path = path, .file = file, .answers = answers};
    n->betweenRuns = look;
    return NULL;
}

// ---- At a time ----

// The receiver's firing before which it is due; INT64_MAX: that never comes.
static int64_t dueAt(const svm_Outside *o, const svm_OutsideTo *to, int64_t when)
{
    const int64_t never = INT64_MAX;
    if (when > never / 4)
        return never;
    if (to->row)
        return svmr_firstThatNeeds(to->row, when + 1);
    int64_t state = when, due;
    if (o->inputSteady + o->inputInit != 0) {
        if (when < o->inputInit)
            return 1;
        if (o->inputSteady == 0)
            return never;
        state = (when - o->inputInit) / o->inputSteady;
    }
    if (__builtin_mul_overflow(state, to->steady, &due) || __builtin_add_overflow(due, to->init + 1, &due))
        return never;
    return due;
}

static void makeBits(const svm_OutsideRow *r, char *arguments)
{
    for (size_t i = 0; i < r->valueCount; i++)
        for (size_t k = 0; r->values[i].item == SVM_ITEM_BIT && k < r->values[i].count; k++) {
            int *bit = (int *)(void *)(arguments + r->values[i].offset) + k;
            *bit = *bit != 0;
        }
}

static char *sendAt(const svm_Outside *o, void *instance, size_t row, void *arguments, int64_t when)
{
    const svm_OutsideRow *r = &o->rows[row];
    svm_Net *n = o->net(instance);
    makeBits(r, arguments);
    if (when < 0) {
        sendNow(n, r, arguments);
        return NULL;
    }
    for (size_t i = 0; i < r->toCount; i++) {
        const svm_OutsideTo *to = &r->to[i];
        const svm_NetKernel *p = n->kernels[to->kernel];
        if (!to->row && to->init + to->steady == 0)
            return problem(
                "'%s' has dynamic rates between it and the program's input, so that 'when' has no meaning: it "
                "can only be told to be now",
                to->name);
        if (dueAt(o, to, when) <= p->mail->completed)
            return problem("'when' is %lld, and '%s' has passed the firing before which the message is due",
                           (long long)when, to->name);
    }
    for (size_t i = 0; i < r->toCount; i++) {
        int64_t due = dueAt(o, &r->to[i], when);
        if (due != INT64_MAX)
            svmr_giveMail(n->kernels[r->to[i].kernel]->mail, due, r->number, arguments, r->size);
    }
    return NULL;
}

const svm_OutsideFunctions svm_outsideFunctions = {.list = list, .set = set, .control = control, .send = sendAt};
