// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-sim --compare: the program runs on this computer too, and is measured.
#include "driver/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/strbuf.h"

int compare_measure(process_session *s, const char *native, const char *const *argv, bool timeline, compare_run *run)
{
    run->profile = process_temporary(s, "measured", ".profile");
    run->timeline = timeline ? process_temporary(s, "measured", ".json") : NULL;
    if (run->profile == NULL || (timeline && run->timeline == NULL))
        return EXIT_WRONG;
    size_t count = 0;
    while (argv[count] != NULL)
        count++;
    const char **own = calloc(count + 1, sizeof *own);
    if (own == NULL)
        return EXIT_WRONG;
    memcpy(own, argv, count * sizeof *own);
    own[0] = native;
    off_t begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
    setenv("SVM_PROFILE_OUT", run->profile, 1);
    if (timeline)
        setenv("SVM_TRACE_OUT", run->timeline, 1);
    int status = process_run_limited(s, own, &(process_limits){.output = "/dev/null", .program = true});
    unsetenv("SVM_PROFILE_OUT");
    unsetenv("SVM_TRACE_OUT");
    if (begin >= 0)
        lseek(STDIN_FILENO, begin, SEEK_SET);
    free(own);
    return status;
}

// Both are objects whose last member is the list of events, which is what support/timeline.h ends with.
bool compare_join_timelines(tool_session *t, const char *path, const char *measured)
{
    static const char end[] = "\n]}\n";
    char *predicted, *more;
    size_t len, more_len;
    if (!file_read(t->arena, path, &predicted, &len) || !file_read(t->arena, measured, &more, &more_len)) {
        diag_error_at(&t->diags, options_tool_name(t->options.tool), "cannot read a timeline: %s", strerror(errno));
        return false;
    }
    const char *events = memchr(more, '[', more_len);
    strbuf b;
    strbuf_init(&b, t->arena);
    strbuf_addn(&b, predicted, len - strlen(end));
    if (events != NULL) {
        strbuf_addc(&b, ',');
        strbuf_addn(&b, events + 1, more_len - (size_t)(events + 1 - more));
    }
    return tool_write(t, path, b.data, b.len);
}
