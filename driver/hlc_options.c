// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options, inputs and outputs of the tools that hold the high-level compiler.
#include "driver/hlc_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/latency.h"
#include "driver/library.h"
#include "driver/option_table.h"
#include "driver/paths.h"
#include "driver/process.h"
#include "targets/native.h"

static const char *const mode_names[] = {
    [MODE_TOKENS] = "tokens", [MODE_AST] = "ast",         [MODE_DOC] = "doc",   [MODE_HOST_C] = "host-c",
    [MODE_SIR] = "sir",       [MODE_GRAPH] = "graph",     [MODE_PLAN] = "plan", [MODE_HEADER] = "header",
    [MODE_SVM_C] = "svm-c",   [MODE_LLVM_IR] = "llvm-ir", [MODE_ASM] = "asm",   [MODE_OBJ] = "obj",
    [MODE_EXE] = "exe",       [MODE_LIB] = "lib",
};

static const struct suffix {
    const char *text;
    input_language language;
} suffixes[] = {
    {".str", LANGUAGE_STREAMIT}, {".br", LANGUAGE_BROOK},  {".bri", LANGUAGE_BROOK},
    {".sir", LANGUAGE_SIR},      {".plan", LANGUAGE_PLAN}, {".c", LANGUAGE_SVM_C},
    {".o", LANGUAGE_NATIVE},     {".a", LANGUAGE_NATIVE},  {".so", LANGUAGE_NATIVE},
};

static const struct language_name {
    const char *text;
    input_language language;
} language_names[] = {
    {"streamit", LANGUAGE_STREAMIT}, {"brook", LANGUAGE_BROOK}, {"sir", LANGUAGE_SIR},
    {"plan", LANGUAGE_PLAN},         {"svm-c", LANGUAGE_SVM_C},
};

const char *driver_mode_name(driver_mode mode)
{
    return mode_names[mode];
}

driver_mode driver_mode_of(const option_list *options, driver_mode assumed)
{
    driver_mode mode = assumed;
    for (VEC_EACH(const option, o, &options->items)) {
        switch (o->id) {
        case OPT_COMPILE: mode = MODE_OBJ; break;
        case OPT_ASSEMBLY: mode = MODE_ASM; break;
        case OPT_SYNTAX_ONLY: mode = MODE_CHECK; break;
        case OPT_INTERPRET: mode = MODE_INTERPRET; break;
        case OPT_EMIT:
        case OPT_EMIT_HLC:
        case OPT_EMIT_OPT:
            for (driver_mode m = MODE_TOKENS; m <= MODE_LIB; m++)
                if (strcmp(o->value, mode_names[m]) == 0)
                    mode = m;
            break;
        default: break;
        }
    }
    return mode;
}

static bool ends_with(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n > m && strcmp(s + n - m, suffix) == 0;
}

const char *driver_stem(arena *a, const char *path)
{
    if (strcmp(path, "-") == 0)
        return "stdin";
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    const char *dot = ends_with(name, ".svm.c") ? name + strlen(name) - strlen(".svm.c") : strrchr(name, '.');
    return dot == NULL || dot == name ? arena_strdup(a, name) : arena_strndup(a, name, (size_t)(dot - name));
}

// Whether an input of this language can be read by the tool at all.
static bool is_readable_by(input_language language, option_tool which)
{
    return language <= LANGUAGE_PLAN || which == TOOL_SVMC;
}

static bool find_language(tool_session *t, const char *path, const char *told, input_language *language)
{
    const char *name = options_tool_name(t->options.tool);
    for (size_t i = 0; i < sizeof language_names / sizeof *language_names; i++)
        if (told != NULL && strcmp(told, language_names[i].text) == 0) {
            *language = language_names[i].language;
            return true;
        }
    if (strcmp(path, "-") == 0) {
        *language = t->options.tool == TOOL_OPT ? LANGUAGE_SIR : LANGUAGE_STREAMIT;
        return true;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends_with(path, suffixes[i].text) && is_readable_by(suffixes[i].language, t->options.tool)) {
            *language = suffixes[i].language;
            return true;
        }
    diag_error_at(
        &t->diags, name,
        "cannot tell the language of '%s' by its name; expected it to end in .str, .br, .sir%s, or -x LANGUAGE "
        "before it",
        path, t->options.tool == TOOL_SVMC ? ", .plan, .c, .o or .a" : " or .plan");
    return false;
}

bool driver_find_inputs(tool_session *t, driver_inputs *inputs)
{
    const char *told = NULL, *name = options_tool_name(t->options.tool);
    size_t streamit = 0, brook = 0, ir = 0;
    bool ok = true;
    for (VEC_EACH(const option, o, &t->options.items)) {
        if (o->id == OPT_INPUT_LANGUAGE)
            told = strcmp(o->value, "auto") == 0 ? NULL : o->value;
        if (o->id != OPT_INPUT)
            continue;
        driver_input input = {.path = o->value};
        if (!find_language(t, input.path, told, &input.language)) {
            ok = false;
            continue;
        }
        streamit += input.language == LANGUAGE_STREAMIT;
        brook += input.language == LANGUAGE_BROOK;
        ir += input.language == LANGUAGE_SIR || input.language == LANGUAGE_PLAN;
        VEC_PUSH(t->arena, inputs, input);
    }
    if (ok && inputs->len == 0) {
        diag_error_at(&t->diags, name, "no input files; '%s --help' says how it is used", name);
        ok = false;
    } else if (brook > 0 && (ir > 0 || streamit > 0)) {
        diag_error_at(
            &t->diags, name,
            "Brook files and stream programs in one program; expected either alone, or one that imports the other");
        ok = false;
    } else if (ir > 1 || (ir > 0 && streamit > 0)) {
        diag_error_at(&t->diags, name, "stream IR or a plan is a whole program; expected it to be the only such input");
        ok = false;
    }
    return ok;
}

bool driver_check_run_options(tool_session *t, driver_mode mode)
{
    if (mode == MODE_INTERPRET)
        return true;
    for (VEC_EACH(const option, o, &t->options.items)) {
        const option_row *row = &option_rows[o->id];
        if (o->id == OPT_INPUT || o->id == OPT_INTERPRET || row->group != GROUP_RUN)
            continue;
        if (o->id == OPT_IN && option_last(&t->options, OPT_REPORT) != NULL)
            continue;
        diag_error_at(&t->diags, options_tool_name(t->options.tool), "option '%.*s' is for --interpret%s",
                      (int)strcspn(row->spelling, "="), row->spelling,
                      o->id == OPT_COUNT_OPERATIONS || o->id == OPT_WATCH || o->id == OPT_STOP_AT
                          ? ""
                          : "; the compiled program has it too");
        return false;
    }
    return true;
}

static hlc_emit emit_of(driver_mode mode)
{
    switch (mode) {
    case MODE_CHECK: return HLC_EMIT_NOTHING;
    case MODE_TOKENS: return HLC_EMIT_TOKENS;
    case MODE_AST: return HLC_EMIT_AST;
    case MODE_HOST_C: return HLC_EMIT_HOST_C;
    case MODE_DOC: return HLC_EMIT_DOC;
    case MODE_SIR: return HLC_EMIT_SIR;
    case MODE_GRAPH: return HLC_EMIT_GRAPH;
    case MODE_PLAN: return HLC_EMIT_PLAN;
    case MODE_HEADER: return HLC_EMIT_HEADER;
    default: return HLC_EMIT_SVM_C;
    }
}

static hlc_mapping mapping_of(const option_list *o)
{
    const char *value = option_last(o, OPT_MAPPING);
    if (value == NULL)
        return HLC_MAPPING_CHOSEN;
    return strcmp(value, "time") == 0 ? HLC_MAPPING_TIME : HLC_MAPPING_SPACE;
}

static hlc_offload offload_of(const option_list *o)
{
    const char *value = option_last(o, OPT_OFFLOAD);
    if (value == NULL || strcmp(value, "paying") == 0)
        return HLC_OFFLOAD_PAYING;
    return strcmp(value, "all") == 0 ? HLC_OFFLOAD_ALL : HLC_OFFLOAD_NONE;
}

static bool fp_of(const option_list *o)
{
    const char *value = option_last(o, OPT_FP);
    return value != NULL && strcmp(value, "target") == 0;
}

static hlc_transfer transfer_of(const option_list *o)
{
    const char *value = option_last(o, OPT_TRANSFER);
    if (value == NULL)
        return HLC_TRANSFER_CHOSEN;
    return strcmp(value, "block") == 0 ? HLC_TRANSFER_BLOCK : HLC_TRANSFER_STREAM;
}

// The values of all --print-after, as one list.
static const char *join_values(arena *a, const option_list *options, option_id id)
{
    const char *joined = NULL;
    for (VEC_EACH(const option, o, &options->items))
        if (o->id == id)
            joined = joined == NULL ? o->value : arena_printf(a, "%s,%s", joined, o->value);
    return joined;
}

bool driver_list_passes(tool_session *t)
{
    if (option_last(&t->options, OPT_LIST_PASSES) == NULL)
        return false;
    strbuf b;
    strbuf_init(&b, t->arena);
    hlc_list_passes(&b);
    tool_write(t, "-", b.data, b.len);
    return true;
}

// What the comment at the head of emitted C says of how it was made: the options that matter to the code, and the
// inputs without their folders.
static const char *describe_command(tool_session *t)
{
    strbuf b;
    strbuf_init(&b, t->arena);
    strbuf_add(&b, options_tool_name(t->options.tool));
    for (VEC_EACH(const option, o, &t->options.items)) {
        const option_row *row = &option_rows[o->id];
        bool code = row->group == GROUP_CODE || row->group == GROUP_MACHINE || o->id == OPT_PASSES ||
                    o->id == OPT_TOP || o->id == OPT_LIBRARY || o->id == OPT_LIBRARY_PREFIX;
        const char *spelling = row->kind == OPTION_BOOLEAN && !o->on ? option_negative(t->arena, row) : row->spelling;
        if (o->id != OPT_INPUT && code)
            strbuf_printf(&b, " %s%s", spelling, o->value == NULL ? "" : o->value);
    }
    for (VEC_EACH(const option, o, &t->options.items)) {
        const char *slash = o->id == OPT_INPUT ? strrchr(o->value, '/') : NULL;
        if (o->id == OPT_INPUT)
            strbuf_printf(&b, " %s", slash == NULL ? o->value : slash + 1);
    }
    return b.data;
}

// Where the output goes without -o: to the current folder, named as clang names it.
static const char *default_output(arena *a, driver_mode mode, const char *stem)
{
    switch (mode) {
    case MODE_LLVM_IR: return arena_printf(a, "%s.ll", stem);
    case MODE_ASM: return arena_printf(a, "%s.s", stem);
    case MODE_OBJ: return arena_printf(a, "%s.o", stem);
    case MODE_LIB: return arena_printf(a, "lib%s.a", stem);
    default: return "a.out";
    }
}

const char *driver_output(tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    const char *output = option_last(&t->options, OPT_OUTPUT);
    size_t units = 0;
    for (VEC_EACH(const driver_input, in, inputs))
        units += in->language == LANGUAGE_SVM_C;
    if (output != NULL || (mode < MODE_EXE && units > 1))
        return output;
    return default_output(t->arena, mode, driver_stem(t->arena, inputs->data[0].path));
}

const char *driver_kept_text(tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    const char *output = option_flag(&t->options, OPT_DEBUG_INFO, false) ? driver_output(t, inputs, mode) : NULL;
    struct stat st;
    if (output == NULL || strcmp(output, "-") == 0 || (stat(output, &st) == 0 && !S_ISREG(st.st_mode)))
        return NULL;
    const char *const made[] = {".o", ".a", ".s", ".ll"};
    size_t len = strlen(output);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (mode != MODE_EXE && ends_with(output, made[i]))
            len = strlen(output) - strlen(made[i]);
    return arena_printf(t->arena, "%.*s.debug.svm.c", (int)len, output);
}

// The name that emitted C has for itself.
static const char *text_path(tool_session *t, const driver_inputs *inputs)
{
    driver_mode mode = driver_mode_of(&t->options, MODE_EXE);
    const char *output = option_last(&t->options, OPT_OUTPUT), *path = NULL;
    if (mode == MODE_SVM_C)
        path = output != NULL && strcmp(output, "-") != 0 ? output : NULL;
    else if (mode > MODE_SVM_C && t->options.tool == TOOL_SVMC)
        path = driver_kept_text(t, inputs, mode);
    return path != NULL ? path : arena_printf(t->arena, "%s.svm.c", driver_stem(t->arena, inputs->data[0].path));
}

// Where imported files are looked for: -I, $SVMC_PATH, the installed library.
static void set_import_path(hlc_config *config, tool_session *t)
{
    VEC(const char *) folders = {0};
    for (VEC_EACH(const option, o, &t->options.items))
        if ((o->id == OPT_INCLUDE || o->id == OPT_IMPORT) && o->value[0] != '\0')
            VEC_PUSH(t->arena, &folders, o->value);
    const char *rest = getenv("SVMC_PATH");
    while (rest != NULL && *rest != '\0') {
        size_t len = strcspn(rest, ":");
        if (len > 0)
            VEC_PUSH(t->arena, &folders, arena_strndup(t->arena, rest, len));
        rest += len + (rest[len] == ':');
    }
    VEC_PUSH(t->arena, &folders, paths_installed(t->arena, "share/svmc/lib"));
    config->import_path = folders.data;
    config->import_folders = folders.len;
}

static void set_defines(hlc_config *config, tool_session *t)
{
    VEC(const char *) defines = {0};
    for (VEC_EACH(const option, o, &t->options.items))
        if (o->id == OPT_DEFINE)
            VEC_PUSH(t->arena, &defines, o->value);
    config->defines = defines.data;
    config->define_count = defines.len;
}

void driver_set_config(hlc_config *config, tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    const option_list *o = &t->options;
    const char *level = option_last(o, OPT_OPTIMIZE);
    bool fast = level != NULL && strcmp(level, "fast") == 0;
    int opt_level = 2;
    if (level != NULL)
        opt_level = fast ? 3 : level[0] - '0';
    int64_t latency_states;
    double latency_items;
    (void)latency_read(t, &latency_states, &latency_items); // has been checked
    bool stream_ir = false, brook = false;
    for (VEC_EACH(const driver_input, in, inputs)) {
        stream_ir = stream_ir || in->language == LANGUAGE_SIR || in->language == LANGUAGE_PLAN;
        brook = brook || in->language == LANGUAGE_BROOK;
    }
    const char *march = option_last(o, OPT_MARCH);
    const native_vectors vectors = native_vectors_of(march);
    *config = (hlc_config){
        .emit = emit_of(mode),
        .stream_ir = stream_ir,
        .brook = brook,
        .opt_level = opt_level,
        .fast_math = fast,
        .target_fp = fp_of(o),
        .debug_info = option_flag(o, OPT_DEBUG_INFO, false),
        .gdb_commands = paths_installed(t->arena, "share/svmc/gdb/svm.py"),
        .graph_depth = (uint32_t)option_number(o, OPT_GRAPH_DEPTH, 0),
        .any_extents = option_flag(o, OPT_ANY_EXTENTS, false),
        .interpret_kernels = option_flag(o, OPT_INTERPRET_KERNELS, false),
        .check_rates = option_flag(o, OPT_CHECK_RATES, false),
        .check_bounds = option_flag(o, OPT_CHECK_BOUNDS, false),
        .march = march != NULL,
        .takes_bytes = native_takes_bytes(march),
        .gathers = native_gathers(march),
        .bytes = native_bytes_of(march),
        .vector_bytes = vectors.registers * vectors.bytes,
        .vector_registers = vectors.registers,
        .fuse = opt_level > 0 && option_flag(o, OPT_FUSE, true),
        .no_lanes = !option_flag(o, OPT_LANES, true),
        .no_steps = !option_flag(o, OPT_STEPS, true),
        .no_straight = !option_flag(o, OPT_STRAIGHT, true),
        .no_narrow = !option_flag(o, OPT_NARROW, true),
        .no_exact_errors = !option_flag(o, OPT_EXACT_ERRORS, true),
        .no_outside_messages = !option_flag(o, OPT_OUTSIDE_MESSAGES, true),
        .machine = option_last(o, OPT_MACHINE),
        .machine_dir = paths_installed(t->arena, "share/svmc/machines"),
        .passes = option_last(o, OPT_PASSES),
        .skip_passes = join_values(t->arena, o, OPT_SKIP_PASSES),
        .print_after = join_values(t->arena, o, OPT_PRINT_AFTER),
        .print_after_all = option_flag(o, OPT_PRINT_AFTER_ALL, false),
        .verify_each = option_flag(o, OPT_VERIFY_EACH, SVMC_VERIFY_EACH),
        .time_report = option_flag(o, OPT_TIME_REPORT, false),
        .strip = option_number(o, OPT_STRIP, 0),
        .max_latency = latency_states,
        .latency_items = latency_items,
        .processors = option_number(o, OPT_MAP_PROCESSORS, 0),
        .mapping = mapping_of(o),
        .transfer = transfer_of(o),
        .offload = offload_of(o),
        .profile_use = option_last(o, OPT_PROFILE_USE),
        .search = (double)option_number(o, OPT_SEARCH, 0),
        .seed = (uint64_t)option_number(o, OPT_SEED, 1),
        .elaboration_steps = (uint64_t)option_number(o, OPT_ELABORATION_STEPS, 0),
        .top = option_last(o, OPT_TOP),
        .library = library_wanted(o, mode) || driver_mode_of(o, MODE_EXE) == MODE_LIB,
        .prefix = option_last(o, OPT_LIBRARY_PREFIX),
        .command_line = describe_command(t),
        .text_path = text_path(t, inputs),
        .dump = stderr,
    };
    set_import_path(config, t);
    set_defines(config, t);
}

// All values of an option that are lists, as one list; NULL when there is none.
static const char *joined(const tool_session *t, option_id id)
{
    const char *all = NULL;
    for (VEC_EACH(const option, o, &t->options.items))
        if (o->id == id)
            all = all == NULL ? o->value : arena_printf(t->arena, "%s,%s", all, o->value);
    return all;
}

// Messages before the first firing, as they are given; behind the last one NULL.
static const char *const *all_sets(const tool_session *t)
{
    VEC(const char *) values = {0};
    for (VEC_EACH(const option, o, &t->options.items))
        if (o->id == OPT_SET || o->id == OPT_SET_SEPARATE)
            VEC_PUSH(t->arena, &values, o->value);
    VEC_PUSH(t->arena, &values, NULL);
    return values.data;
}

void driver_set_interpreter(interp_options *interp, const tool_session *t)
{
    const option_list *o = &t->options;
    *interp = (interp_options){
        .iterations = option_number(o, OPT_ITERATIONS, -1),
        .loop_input = option_flag(o, OPT_LOOP_INPUT, false),
        .in = option_last(o, OPT_IN),
        .out = option_last(o, OPT_OUT),
        .tag_prints = option_flag(o, OPT_TAG_PRINTS, false),
        .check_rates = option_flag(o, OPT_CHECK_RATES, false),
        .count = option_flag(o, OPT_COUNT_OPERATIONS, false),
        .trace = joined(t, OPT_WATCH),
        .stop_at = option_last(o, OPT_STOP_AT),
        .sets = all_sets(t),
    };
}

// Reads the inputs that are the high-level compiler's; NULL after errors.
static source_id *read_inputs(tool_session *t, const driver_inputs *inputs, size_t *count)
{
    source_id *files = ARENA_ARRAY(t->arena, source_id, inputs->len);
    bool ok = true;
    *count = 0;
    for (VEC_EACH(const driver_input, in, inputs)) {
        if (in->language > LANGUAGE_PLAN)
            continue;
        files[*count] = tool_read(t, in->path);
        ok = ok && files[*count] != 0;
        ++*count;
    }
    return ok ? files : NULL;
}

const char *driver_compile(tool_session *t, const driver_inputs *inputs, driver_mode mode, hlc_natives *natives,
                           const char **header, hlc_hosts *hosts)
{
    return driver_compile_report(t, inputs, mode, natives, header, hosts, NULL);
}

const char *driver_compile_report(tool_session *t, const driver_inputs *inputs, driver_mode mode, hlc_natives *natives,
                                  const char **header, hlc_hosts *hosts, struct hlc_report *report)
{
    size_t count;
    const source_id *files = read_inputs(t, inputs, &count);
    if (files == NULL)
        return NULL;
    hlc_config config;
    driver_set_config(&config, t, inputs, mode);
    config.natives = natives;
    config.header = header;
    config.hosts = hosts;
    config.report = report;
    if (config.search > 0)
        tool_doing(t, "compiling, with %g s for the mapping search", config.search);
    else
        tool_doing(t, "compiling");
    const char *text = hlc_compile(t->arena, &t->diags, files, count, &config);
    return diag_has_errors(&t->diags) ? NULL : text;
}

static int interpret(tool_session *t, const driver_inputs *inputs)
{
    size_t count;
    const source_id *files = read_inputs(t, inputs, &count);
    if (files == NULL)
        return EXIT_WRONG;
    hlc_config config;
    interp_options interp;
    driver_set_config(&config, t, inputs, MODE_INTERPRET);
    tool_doing(t, "interpreting");
    if (isatty(STDOUT_FILENO)) // what the program prints is seen
        tool_show_nothing(t);
    driver_set_interpreter(&interp, t);
    return hlc_interpret(t->arena, &t->diags, files, count, &config, &interp);
}

// Graphviz's picture of a graph; NULL after an error.
static const char *draw(tool_session *t, const char *dot, size_t *len)
{
    process_settings settings = {.tool = options_tool_name(t->options.tool),
                                 .verbose = option_flag(&t->options, OPT_VERBOSE, false)};
    process_session *s = process_open(&t->diags, &settings);
    const char *in = process_temporary(s, "graph", ".dot"), *out = process_temporary(s, "graph", ".svg");
    char *svg = NULL;
    if (in != NULL && out != NULL && tool_write(t, in, dot, strlen(dot))) {
        int status = process_run(s, (const char *const[]){"dot", "-Tsvg", "-o", out, in, NULL});
        if (status != EXIT_OK && !diag_has_errors(&t->diags))
            diag_error_at(&t->diags, settings.tool, "Graphviz's 'dot' failed with exit code %d", status);
        else if (status != EXIT_OK)
            diag_add_note(&t->diags, VEC_LAST(&t->diags.records), (src_range){0},
                          "--graph-format=svg needs Graphviz; --graph-format=dot does not");
        else if (!file_read(t->arena, out, &svg, len))
            diag_error_at(&t->diags, settings.tool, "cannot read what 'dot' wrote");
    }
    process_close(s);
    return svg;
}

int driver_run_hlc(tool_session *t, const driver_inputs *inputs, driver_mode mode)
{
    const char *name = options_tool_name(t->options.tool);
    for (VEC_EACH(const driver_input, in, inputs))
        if (in->language > LANGUAGE_PLAN) {
            diag_error_at(&t->diags, name,
                          "'%s' has no part in what is asked for; expected .str, .br, .sir or .plan inputs", in->path);
            return EXIT_USAGE;
        }
    if (mode == MODE_INTERPRET)
        return interpret(t, inputs);
    const char *text = driver_compile(t, inputs, mode, NULL, NULL, NULL);
    if (text == NULL)
        return EXIT_WRONG;
    if (mode == MODE_CHECK)
        return driver_write_dependencies(t, "-") ? EXIT_OK : EXIT_WRONG;
    size_t len = strlen(text);
    const char *format = option_last(&t->options, OPT_GRAPH_FORMAT);
    if (mode == MODE_GRAPH && format != NULL && strcmp(format, "svg") == 0)
        text = draw(t, text, &len);
    const char *output = option_last(&t->options, OPT_OUTPUT);
    if (output == NULL)
        output = "-";
    bool ok = text != NULL && tool_write(t, output, text, len) && driver_write_dependencies(t, output);
    return ok ? EXIT_OK : EXIT_WRONG;
}

// A file name as make reads it in a rule.
static void add_make_name(strbuf *b, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == ' ' || *s == '#' || *s == '\\')
            strbuf_addc(b, '\\');
        if (*s == '$')
            strbuf_addc(b, '$');
        strbuf_addc(b, *s);
    }
}

bool driver_write_dependencies(tool_session *t, const char *output)
{
    const char *path = option_last(&t->options, OPT_DEPENDENCY_FILE);
    if (option_last(&t->options, OPT_DEPENDENCIES) == NULL && path == NULL)
        return true;
    if (path == NULL) {
        bool named = strcmp(output, "-") != 0;
        const char *slash = strrchr(output, '/');
        size_t folder = named && slash != NULL ? (size_t)(slash + 1 - output) : 0;
        const char *stem_of = named ? output : source_get(&t->sources, 1)->name;
        path = arena_printf(t->arena, "%.*s%s.d", (int)folder, output, driver_stem(t->arena, stem_of));
    }
    strbuf b;
    strbuf_init(&b, t->arena);
    add_make_name(&b, strcmp(output, "-") == 0 ? driver_stem(t->arena, source_get(&t->sources, 1)->name) : output);
    strbuf_addc(&b, ':');
    for (size_t i = 1; i < t->sources.files.len; i++) {
        const source_file *f = &t->sources.files.data[i];
        if (f->text == NULL || f->name[0] == '<')
            continue;
        strbuf_add(&b, " \\\n  ");
        add_make_name(&b, f->name);
    }
    strbuf_addc(&b, '\n');
    return tool_write(t, path, b.data, b.len);
}
