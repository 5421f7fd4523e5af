// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A YAML text as a tree with places, read through libfyaml's events. Only what machine files and task graphs need: one
// document of mappings, sequences and scalars. Anchors, aliases, tags, directives, several documents, keys that are no
// scalars and duplicate keys are errors.
#ifndef SVMC_TARGETS_YAML_H
#define SVMC_TARGETS_YAML_H

#include "support/diag.h"

typedef enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING } yaml_kind;

typedef struct yaml_node yaml_node;
typedef struct yaml_pair {
    yaml_node *key, *value;
} yaml_pair;

struct yaml_node {
    yaml_kind kind;
    src_range range;  // of the text; file 0 for defaults
    const char *text; // scalar
    bool quoted;
    VEC(yaml_node *) items; // sequence
    VEC(yaml_pair) pairs;   // mapping, in the file's order
};

// Nesting beyond this is an error; libfyaml itself does not bound it.
enum { YAML_MAX_DEPTH = 32, YAML_MAX_BYTES = 1 << 20 };

// noun is what the text is and start how such a text starts, for messages ("machine file", "machine: NAME"). NULL after
// errors, which are in d.
yaml_node *yaml_parse(arena *a, diag_engine *d, source_id file, const char *noun, const char *start);
// A node for a default's text: a scalar, or a flat list "[a, b]".
yaml_node *yaml_default(arena *a, const char *text);
// "a list", for messages.
const char *yaml_kind_text(const yaml_node *node);

#endif
