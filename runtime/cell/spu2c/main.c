// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// svm-spu2c: a linked SPE program, WebAssembly with a memory of 256 KiB, as C for the host. svm-spu-gcc runs it.
#include "runtime/cell/spu2c/wasm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
    fputc('"', out);
}

static uint32_t canonical(const wasm_module *module, uint32_t type)
{
    for (uint32_t i = 0; i < type; i++)
        if (strcmp(module->types[i].args, module->types[type].args) == 0 &&
            strcmp(module->types[i].results, module->types[type].results) == 0)
            return i;
    return type;
}

static void print_instance(const wasm_module *module, FILE *out)
{
    fprintf(out, "typedef struct instance {\n    cell_spu spu;\n");
    for (uint32_t i = 0; i < module->global_count; i++)
        fprintf(out, "    %s g%u;\n", wasm_c_type(module->globals[i].type), i);
    fprintf(out, "} instance;\n\n");
}

static void print_table(const wasm_module *module, FILE *out)
{
    fprintf(
        out,
        "enum { TABLE = %u };\nstatic const struct { uint32_t type; void (*function)(void); } table[TABLE + 1] = {\n",
        module->table_size);
    for (uint32_t i = 0; i < module->table_size; i++) {
        const uint32_t f = module->table[i];
        if (f == UINT32_MAX || module->functions[f].import)
            continue;
        fprintf(out, "    [%u] = {%u + 1, (void (*)(void))f%u_%s},\n", i, canonical(module, module->functions[f].type),
                f, module->functions[f].name);
    }
    fprintf(out, "};\n\n");
}

// Data as words: a string literal of 256 KiB is slow to compile.
static void print_load(const wasm_module *module, FILE *out)
{
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const wasm_bytes bytes = module->segments[i].bytes;
        const size_t size = (size_t)(bytes.end - bytes.at);
        fprintf(out, "static const uint8_t data%u[%zu] = {", i, size + 1);
        for (size_t k = 0; k < size; k++)
            fprintf(out, "%s%u,", k % 32 ? "" : "\n", bytes.at[k]);
        fprintf(out, "0};\n");
    }
    fprintf(out, "static void load(cell_spu *spu)\n{\n    (void)spu;\n");
    for (uint32_t i = 0; i < module->segment_count; i++)
        fprintf(out, "    memcpy(spu->ls + %u, data%u, %zu);\n", module->segments[i].address, i,
                (size_t)(module->segments[i].bytes.end - module->segments[i].bytes.at));
    fprintf(out, "}\n\n");
}

static void call_export(const wasm_module *module, FILE *out, const char *name, const char *arguments)
{
    const uint32_t *f = wasm_export(module, name, 'f');
    if (f && !module->functions[*f].import)
        fprintf(out, "    f%u_%s(s%s);\n", *f, module->functions[*f].name, arguments);
}

// main is renamed on the command line; C++ makes another name of it that begins so.
static const uint32_t *find_main(const wasm_module *module)
{
    static const char mangled[] = "_Z12svm_spu_main";
    for (uint32_t i = 0; i < module->export_count; i++)
        if (module->exports[i].kind == 'f' && (strcmp(module->exports[i].name, "svm_spu_main") == 0 ||
                                               strncmp(module->exports[i].name, mangled, sizeof mangled - 1) == 0))
            return &module->exports[i].index;
    return NULL;
}

// main gets as many of its three arguments as it declares: registers 3 to 5, cut to 64 or 32 bits where it declares less.
static void print_start(const wasm_module *module, FILE *out)
{
    const uint32_t *f = find_main(module);
    if (!f || module->functions[*f].import)
        wasm_fail("the program has no function main");
    const wasm_type *type = &module->types[module->functions[*f].type];
    if (strlen(type->args) > 3 || strspn(type->args, "iIv") != strlen(type->args) ||
        strspn(type->results, "i") != strlen(type->results))
        wasm_fail(
            "main has not the form int main(unsigned long long id, unsigned long long argp, unsigned long long envp)");
    fprintf(out, "static void start(cell_spu *spu, const uint64_t *registers)\n{\n    instance *const "
                 "s = (instance *)spu;\n"
                 "    (void)registers;\n    uint32_t code = 0;\n");
    for (uint32_t i = 0; i < module->global_count; i++) {
        const wasm_global *g = &module->globals[i];
        if (g->type == 'i' || g->type == 'I')
            fprintf(out, "    s->g%u = UINT64_C(%llu);\n", i, (unsigned long long)g->value);
        else
            wasm_fail("a global variable that is not an integer");
    }
    call_export(module, out, "__wasm_call_ctors", "");
    fprintf(out, "    %sf%u_%s(s", *type->results ? "code = " : "", *f, module->functions[*f].name);
    for (unsigned i = 0; type->args[i]; i++)
        if (type->args[i] == 'v')
            fprintf(out, ", (v128)(cell_u64){registers[%u], registers[%u]}", 2 * i, 2 * i + 1);
        else
            fprintf(out, ", (%s)registers[%u]", wasm_c_type(type->args[i]), 2 * i);
    fprintf(out, ");\n");
    call_export(module, out, "svm_spu_finish", ", code");
    fprintf(out, "    s->spu.host->proc_exit(&s->spu, 0, code);\n}\n\n");
}

static void print_sites(const wasm_module *module, const wasm_sites *sites, FILE *out)
{
    fprintf(out, "static const char *const files[] = {\n");
    for (uint32_t i = 0; i < module->file_count; i++) {
        fprintf(out, "    ");
        print_string(out, module->files[i]);
        fprintf(out, ",\n");
    }
    fprintf(out, "    0};\nstatic const char *const functions[] = {\n");
    for (uint32_t i = 0; i < module->function_count; i++) {
        const char *plain = module->functions[i].plain ? module->functions[i].plain : "";
        fprintf(out, "    ");
        const bool is_main = strncmp(plain, "svm_spu_main", 12) == 0 || strncmp(plain, "svm_spu_users_main", 18) == 0;
        print_string(out, is_main ? "main" : plain);
        fprintf(out, ",\n");
    }
    fprintf(out, "    0};\nstatic const cell_site sites[] = {\n");
    for (uint32_t i = 0; i < sites->count; i++)
        fprintf(out, "    {%u, %u, %u},\n", sites->site[i].file, sites->site[i].line, sites->site[i].function);
    fprintf(out, "};\n\n");
}

static uint32_t global_value(const wasm_module *module, const char *name)
{
    const uint32_t *g = wasm_export(module, name, 'g');
    return g ? (uint32_t)module->globals[*g].value : 0;
}

static void print_module(const wasm_module *module, const char *name, FILE *out)
{
    wasm_sites sites = {wasm_allocate(1, sizeof(wasm_site)), 1, NULL, 0};
    fprintf(out, "/* An SPE program as C, written by svm-spu2c. */\n#include \"ops.h\"\n\n");
    print_instance(module, out);
    for (uint32_t i = module->import_count; i < module->function_count; i++) {
        wasm_prototype(module, i, out);
        fprintf(out, ";\n");
    }
    print_table(module, out);
    for (uint32_t i = module->import_count; i < module->function_count; i++)
        wasm_translate(module, i, out, &sites);
    print_load(module, out);
    print_start(module, out);
    print_sites(module, &sites, out);
    fprintf(out,
            "__attribute__((visibility(\"default\"))) const cell_image svm_cell_image = {\n    .abi = CELL_IMAGE_ABI,\n"
            "#ifdef CELL_CHECK_DMA\n    .check_dma = 1,\n#endif\n    .name = ");
    print_string(out, name);
    fprintf(out,
            ",\n    .instance_size = sizeof(instance), .load = load, .start = start,\n    .data_size = %u, .stack_size "
            "= %u,\n"
            "    .files = files, .functions = functions, .sites = sites, .site_count = %u,\n};\n",
            global_value(module, "__heap_base"),
            global_value(module, "__stack_high") - global_value(module, "__stack_low"), sites.count);
    free(sites.site);
    free(sites.calls);
}

// A line for each function: its name, the bytes of its code, 1 if it is called by pointer or from outside, the names of
// those that it calls.
static void print_functions(const wasm_module *module)
{
    bool *root = wasm_allocate(module->function_count, sizeof *root);
    FILE *none = fopen("/dev/null", "w");
    if (!none)
        wasm_fail("cannot write /dev/null");
    for (uint32_t i = 0; i < module->table_size; i++)
        if (module->table[i] != UINT32_MAX)
            root[module->table[i]] = true;
    for (uint32_t i = 0; i < module->export_count; i++)
        if (module->exports[i].kind == 'f')
            root[module->exports[i].index] = true;
    for (uint32_t i = module->import_count; i < module->function_count; i++) {
        wasm_sites sites = {wasm_allocate(1, sizeof(wasm_site)), 1, NULL, 0};
        const wasm_function *f = &module->functions[i];
        wasm_translate(module, i, none, &sites);
        printf("%s %u %d", f->plain ? f->plain : "-", (unsigned)(f->body.end - f->body.at), root[i]);
        for (uint32_t n = 0; n < sites.call_count; n++) {
            const wasm_function *to = &module->functions[sites.calls[n].to];
            if (!to->import)
                printf(" %s", to->plain ? to->plain : "-");
        }
        putchar('\n');
        free(sites.site);
        free(sites.calls);
    }
    fclose(none);
    free(root);
}

static wasm_bytes read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        wasm_fail("cannot read %s", name);
    uint8_t *content = NULL;
    size_t size = 0, capacity = 0, got;
    do {
        if (size == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            content = realloc(content, capacity);
            if (!content)
                wasm_fail("out of memory");
        }
        got = fread(content + size, 1, capacity - size, file);
        size += got;
    } while (got);
    if (ferror(file))
        wasm_fail("cannot read %s", name);
    fclose(file);
    return (wasm_bytes){content, content + size};
}

static const char usage[] =
    "usage: svm-spu2c PROGRAM.wasm -o PROGRAM.c [--name NAME] [--memory] [--functions]\n"
    "\n"
    "  --name NAME  the program's name in messages (that of the file)\n"
    "  --memory     print how many bytes data and stack take, and how many the code (of WebAssembly); write no C\n"
    "  --functions  print of each function its name, the bytes of its code, whether it is called by pointer or from\n"
    "               outside, and what it calls; write no C\n"
    "\n"
    "The step of svm-spu-gcc that makes C for the host of a linked SPE program.\n";

int main(int argc, char **argv)
{
    const char *input = NULL, *output = NULL, *name = NULL;
    bool memory = false, functions = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        } else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
            output = argv[++i];
        } else if (strcmp(argv[i], "--name") == 0 && i + 1 < argc) {
            name = argv[++i];
        } else if (strcmp(argv[i], "--memory") == 0) {
            memory = true;
        } else if (strcmp(argv[i], "--functions") == 0) {
            functions = true;
        } else if (argv[i][0] != '-' && !input) {
            input = argv[i];
        } else {
            fprintf(stderr, "svm-spu2c: error: unknown argument '%s'\n%s", argv[i], usage);
            return 2;
        }
    }
    if (!input || (!output && !memory && !functions)) {
        fputs(usage, stderr);
        return 2;
    }
    wasm_module module;
    const wasm_bytes file = read_file(input);
    wasm_read(&module, file);
    if (memory) {
        printf("%u %u\n", global_value(&module, "__heap_base"), module.code_size);
        return 0;
    }
    for (uint32_t i = 0; i < module.function_count; i++)
        if (!module.functions[i].name)
            module.functions[i].name = "";
    if (functions) {
        print_functions(&module);
        return 0;
    }
    wasm_read_lines(&module);
    FILE *out = fopen(output, "w");
    if (!out)
        wasm_fail("cannot write %s", output);
    print_module(&module, name ? name : input, out);
    if (fclose(out) != 0) {
        unlink(output);
        wasm_fail("cannot write %s", output);
    }
    return 0;
}
