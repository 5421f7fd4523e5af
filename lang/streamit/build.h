// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The builders of the syntax tree, called by the grammar's actions. Each adds up the height of what it makes; a node
// that would be higher than STREAMIT_MAX_HEIGHT is reported and becomes an error node.
#ifndef SVMC_LANG_STREAMIT_BUILD_H
#define SVMC_LANG_STREAMIT_BUILD_H

#include "lang/streamit/parse.h"

static inline uint32_t highest(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t ab = a > b ? a : b;
    return ab > c ? ab : c;
}

// Expressions
parsed_expr build_leaf(parse_context *ctx, ast_expr_kind kind, src_range range);
parsed_expr build_error_expr(parse_context *ctx, src_range range);
parsed_expr build_literal_int(parse_context *ctx, src_range range, int64_t value, bool bit);
parsed_expr build_literal_float(parse_context *ctx, src_range range, ast_expr_kind kind, double value);
parsed_expr build_literal_string(parse_context *ctx, src_range range, const string_literal *s);
parsed_expr build_literal_bool(parse_context *ctx, src_range range, bool value);
parsed_expr build_name(parse_context *ctx, src_range range, const char *name);
parsed_expr build_field(parse_context *ctx, src_range range, parsed_expr base, const char *name, src_range name_range);
parsed_expr build_index(parse_context *ctx, src_range range, parsed_expr base, parsed_expr index);
parsed_expr build_unary(parse_context *ctx, src_range range, lang_unary_op op, parsed_expr operand);
parsed_expr build_binary(parse_context *ctx, src_range range, lang_binary_op op, src_range op_range, parsed_expr left,
                         parsed_expr right);
parsed_expr build_cond(parse_context *ctx, src_range range, parsed_expr cond, parsed_expr then, parsed_expr otherwise);
parsed_expr build_cast(parse_context *ctx, src_range range, const lang_type *to, parsed_expr operand);
parsed_expr build_incdec(parse_context *ctx, src_range range, parsed_expr target, bool increment, bool prefix);
// module is what stands before the dot of P.f(..), which must be a plain name; NULL for f(..).
parsed_expr build_call(parse_context *ctx, src_range range, const parsed_expr *module, const char *name,
                       src_range name_range, parsed_exprs args);
parsed_expr build_peek(parse_context *ctx, src_range range, parsed_expr offset);
parsed_expr build_array_expr(parse_context *ctx, src_range range, parsed_exprs elements);
parsed_expr build_vector(parse_context *ctx, src_range range, parsed_exprs args);
parsed_exprs build_args(parse_context *ctx, parsed_exprs list, parsed_expr e);

// Statements
parsed_stmt build_stmt(parse_context *ctx, ast_stmt_kind kind, src_range range, uint32_t child_height, ast_stmt **node);
parsed_stmts build_stmts(parse_context *ctx, parsed_stmts list, parsed_stmt s);
parsed_stmt build_block(parse_context *ctx, src_range range, parsed_stmts stmts);
parsed_stmt build_declaration(parse_context *ctx, src_range range, parsed_vars vars);
parsed_stmt build_expr_stmt(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_expr e);
// op is a lang_binary_op, or -1 for plain assignment.
parsed_stmt build_assign(parse_context *ctx, src_range range, parsed_expr target, int op, parsed_expr value);
parsed_stmt build_send(parse_context *ctx, src_range range, parsed_expr portal, const char *handler,
                       src_range handler_range, parsed_exprs args, const parsed_latency *latency);
parsed_stmt build_if(parse_context *ctx, src_range range, parsed_expr cond, parsed_stmt then, parsed_stmt otherwise);
parsed_stmt build_loop(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_stmt init, parsed_expr cond,
                       parsed_stmt step, parsed_stmt body);
parsed_stmt build_child(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_child child);
parsed_stmt build_split(parse_context *ctx, ast_stmt_kind kind, src_range range, parsed_split split);
parsed_child build_named_child(parse_context *ctx, const char *name, src_range range, const parsed_type *argument,
                               parsed_exprs args, parsed_exprs portals);
parsed_child build_anonymous_child(parse_context *ctx, parsed_stream stream, parsed_exprs portals);
void report_bad_assign(parse_context *ctx, src_range range, lang_binary_op op);

// Types. Names of structs and filters become placeholders that the checker resolves.
parsed_type build_type(parse_context *ctx, src_range range, const lang_type *t);
parsed_type build_type_name(parse_context *ctx, src_range range, const char *name);
parsed_type build_portal(parse_context *ctx, src_range range, const char *name, src_range name_range);
// base[dims[0]][dims[1]]..., dims[0] being the outermost.
parsed_type build_array(parse_context *ctx, src_range range, parsed_type base, parsed_exprs dims);
// 'Name[3][4]' was parsed as a subscripted variable before it turned out to be a type.
parsed_type build_type_of_postfix(parse_context *ctx, src_range range, parsed_expr e);
void report_missing_bounds(parse_context *ctx, src_range range);
void report_c_array(parse_context *ctx, const parsed_name *name, src_range dims);
void report_vector_type(parse_context *ctx, src_range range);

// Declarations
parsed_vars build_vars(parse_context *ctx, parsed_vars list, parsed_type type, parsed_name name, parsed_expr init);
parsed_rates build_rates(parse_context *ctx, parsed_rates rates, int kind, src_range range, parsed_rate rate);
void add_import(parse_context *ctx, src_range range, const char *name, size_t len, bool package);
void begin_struct(parse_context *ctx);
void add_struct_field(parse_context *ctx, parsed_type type, parsed_name name);
void finish_struct(parse_context *ctx, src_range range, const char *name, src_range name_range);
void begin_test(parse_context *ctx);
void add_test_values(parse_context *ctx, src_range range, parsed_exprs values, parsed_expr within, bool expected);
void add_test_run(parse_context *ctx, parsed_stmt run);
void finish_test(parse_context *ctx, src_range range, const char *name, src_range name_range);
void begin_static(parse_context *ctx, src_range range);
void add_globals(parse_context *ctx, parsed_vars vars);
void add_static_init(parse_context *ctx, src_range range, parsed_stmt body);
void begin_module(parse_context *ctx);
void add_module_function(parse_context *ctx, ast_function_kind kind, src_range name_range, const char *name,
                         parsed_type result, parsed_vars params, const parsed_rates *rates, parsed_stmt body);
void finish_module(parse_context *ctx, src_range range, const char *name, bool native);
parsed_stream build_filter_body(parse_context *ctx);
void add_fields(parse_context *ctx, parsed_stream *filter, parsed_vars fields);
void add_function(parse_context *ctx, parsed_stream *filter, ast_function_kind kind, src_range name_range,
                  const char *name, parsed_type result, parsed_vars params, const parsed_rates *rates,
                  parsed_stmt body);
parsed_stream build_composite(parse_context *ctx, ast_stream_kind kind, parsed_stmt body);
// input and output NULL: not written; name NULL: anonymous.
parsed_stream finish_stream(parse_context *ctx, parsed_stream stream, src_range range, const parsed_type *input,
                            const parsed_type *output, bool stateful, const char *name, src_range name_range,
                            parsed_vars params);

#endif
