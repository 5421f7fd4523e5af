// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammar of StreamIt 2.x. Actions only build the tree (build.c); what needs names or types is the checker's.
//
// A statement that begins with 'Name[3]' may turn out to declare a variable or to assign to one: both are parsed as a
// subscripted name (postfix) and told apart at the next token. Repairs and recovery are steered from parse.c: it pushes
// a token only when it is acceptable, so that 'error' below stands for a skipped piece that ends in a ';' of its own.
%code requires {
#include <string.h>

#include "lang/streamit/build.h"
}
%define api.pure full
%define api.push-pull push
%define api.prefix {streamit_yy}
%define api.token.prefix {TOK_}
%define api.location.type {src_range}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {parse_context *ctx}

%union {
    const char *name;
    int64_t integer;
    double number;
    string_literal *string;
    lang_binary_op op;
    lang_unary_op unary;
    int token;
    ast_stream_kind stream_kind;
    const lang_type *prim;
    parsed_expr expr;
    parsed_exprs exprs;
    parsed_stmt stmt;
    parsed_stmts stmts;
    parsed_type type;
    parsed_vars vars;
    parsed_name declared;
    parsed_rate rate;
    parsed_rates rates;
    parsed_stream stream;
    parsed_child child;
    parsed_split split;
    parsed_latency latency;
}

%code provides {
enum { TOK_FIRST_KEYWORD = TOK_FILTER, TOK_LAST_KEYWORD = TOK_FALSE };

// Whether a token can come next.
bool streamit_acceptable(streamit_parser *parser, int kind);
}

%code {
#define YYLLOC_DEFAULT(Current, Rhs, N)                                                                                \
    ((Current) = (N) ? src_join((Rhs)[1], (Rhs)[N])                                                                    \
                     : (src_range){(Rhs)[0].file, (Rhs)[0].end, (Rhs)[0].end})
#define YYMAXDEPTH 10000

static void yyerror(const src_range *where, parse_context *ctx, const char *message);

static const parsed_exprs no_exprs;
static const parsed_expr no_expr;
static const parsed_vars no_vars;
static const parsed_type no_type;
static const parsed_stmt no_stmt;
}

%token END 0 "the end of the file"
%token <name> ID "a name"
%token <integer> INT_LITERAL "an int literal"
%token <number> FLOAT_LITERAL "a float literal" IMAGINARY "an imaginary literal"
%token <string> STRING "a string"
%token BAD_LITERAL "a literal" BAD "an error"
%token <op> BAD_ASSIGN "an assignment operator"
%token FILTER "filter" PIPELINE "pipeline" SPLITJOIN "splitjoin" FEEDBACKLOOP "feedbackloop" PORTAL "portal" TO "to"
       HANDLER "handler" STATEFUL "stateful" ITER "iter" ADD "add" SPLIT "split" JOIN "join" DUPLICATE "duplicate"
       ROUNDROBIN "roundrobin" BODY "body" LOOP "loop" ENQUEUE "enqueue" INIT "init" PREWORK "prework" WORK "work"
       PEEK "peek" POP "pop" PUSH "push" BOOLEAN "boolean" FLOAT "float" BIT "bit" INT "int" VOID "void"
       DOUBLE "double" COMPLEX "complex" FLOAT2 "float2" FLOAT3 "float3" FLOAT4 "float4" STRUCT "struct"
       TEMPLATE "template" NATIVE "native" STATIC "static" HELPER "helper" IF "if" ELSE "else" WHILE "while" FOR "for"
       SWITCH "switch" CASE "case" DEFAULT "default" BREAK "break" CONTINUE "continue" RETURN "return" DO "do"
       PI "pi" TRUE "true" FALSE "false"
%token ARROW "->" INC "++" DEC "--" ADD_ASSIGN "+=" SUB_ASSIGN "-=" MUL_ASSIGN "*=" DIV_ASSIGN "/=" SHL_ASSIGN "<<="
       SHR_ASSIGN ">>=" LAND "&&" LOR "||" EQ "==" NE "!=" LE "<=" GE ">=" SHL "<<" SHR ">>"
// Words only where parse.c sees that they are meant so; everywhere else they are names.
%token IMPORT "import" TEST "test" INPUT "input" RUN "run" EXPECT "expect" WITHIN "within"

%type <expr> expr_opt expr cond_expr or_expr and_expr bit_expr eq_expr rel_expr sum_expr mul_expr cast_expr unary_expr
             primary postfix init
%type <exprs> args args_opt exprs inits dims to to_opt
%type <token> aop add_op
%type <op> bit_op eq_op rel_op sum_op mul_op
%type <unary> prefix_op
%type <prim> prim
%type <type> type other_type local_type type_arg
%type <declared> declared
%type <vars> declaration local_declaration params params_opt param_list
%type <name> package
%type <stmt> stmt block simple for_init for_step
%type <stmts> stmts
%type <rate> rate dyn
%type <rates> rates
%type <token> rate_kind
%type <stream> members anonymous
%type <stream_kind> composite
%type <child> child
%type <split> splitter
%type <latency> latency

// 'add filter { } ;' takes the semicolon, and 'else' belongs to the nearest 'if'.
%precedence NOTHING
%precedence ';' ELSE

%%

program
    : %empty
    | program declaration_of_file
    ;

declaration_of_file
    : STRUCT ID open struct_fields close { finish_struct(ctx, @$, $2, @2); }
    | stream
    | STATIC { begin_static(ctx, @1); } open static_items close
    | NATIVE ID open natives close { finish_module(ctx, @$, $2, true); }
    | HELPER ID open helpers close { finish_module(ctx, @$, $2, false); }
    | TEST ID open test_items close { finish_test(ctx, @$, $2, @2); }
    | IMPORT STRING ';' { add_import(ctx, @$, $2->text, $2->len, false); }
    | IMPORT package ';' { add_import(ctx, @$, $2, strlen($2), true); }
    | error ';' { yyerrok; }
    ;

test_items
    : %empty { begin_test(ctx); }
    | test_items INPUT inits ';' { add_test_values(ctx, src_join(@2, @3), $3, no_expr, false); }
    | test_items RUN child { add_test_run(ctx, build_child(ctx, STMT_ADD, src_join(@2, @3), $3)); }
    | test_items EXPECT inits ';' { add_test_values(ctx, src_join(@2, @3), $3, no_expr, true); }
    | test_items EXPECT inits WITHIN expr ';' { add_test_values(ctx, src_join(@2, @5), $3, $5, true); }
    | test_items error ';' { yyerrok; }
    ;

package
    : ID
    | package '.' ID { $$ = arena_printf(ctx->arena, "%s/%s", $1, $3); }
    ;

open  : '{' { VEC_PUSH(ctx->arena, &ctx->lists, @1.begin); } ;
close : '}' { ctx->lists.len--; } ;

struct_fields
    : %empty { begin_struct(ctx); }
    | struct_fields type declared ';' { add_struct_field(ctx, $2, $3); }
    | struct_fields error ';' { yyerrok; }
    ;

static_items
    : %empty
    | static_items declaration ';' { add_globals(ctx, $2); }
    | static_items INIT block { add_static_init(ctx, @2, $3); }
    | static_items error ';' { yyerrok; }
    ;

natives
    : %empty { begin_module(ctx); }
    | natives type ID params ';' {
        add_module_function(ctx, FUNC_NATIVE, @3, $3, $2, $4, NULL, no_stmt);
      }
    | natives error ';' { yyerrok; }
    ;

helpers
    : %empty { begin_module(ctx); }
    | helpers type ID params rates block {
        add_module_function(ctx, FUNC_HELPER, @3, $3, $2, $4, &$5, $6);
      }
    | helpers error ';' { yyerrok; }
    ;

/* Streams */

stream
    : type ARROW type FILTER ID params_opt open members close {
        finish_stream(ctx, $8, @$, &$1, &$3, false, $5, @5, $6);
      }
    | type ARROW type STATEFUL FILTER ID params_opt open members close {
        finish_stream(ctx, $9, @$, &$1, &$3, true, $6, @6, $7);
      }
    | type ARROW type composite ID params_opt block {
        finish_stream(ctx, build_composite(ctx, $4, $7), @$, &$1, &$3, false, $5, @5, $6);
      }
    ;

composite
    : PIPELINE { $$ = STREAM_PIPELINE; }
    | SPLITJOIN { $$ = STREAM_SPLITJOIN; }
    | FEEDBACKLOOP { $$ = STREAM_FEEDBACKLOOP; }
    ;

anonymous
    : FILTER open members close { $$ = finish_stream(ctx, $3, @$, NULL, NULL, false, NULL, @1, no_vars); }
    | STATEFUL FILTER open members close { $$ = finish_stream(ctx, $4, @$, NULL, NULL, true, NULL, @2, no_vars); }
    | composite block {
        $$ = finish_stream(ctx, build_composite(ctx, $1, $2), @$, NULL, NULL, false, NULL, @1, no_vars);
      }
    | type ARROW type FILTER open members close {
        $$ = finish_stream(ctx, $6, @$, &$1, &$3, false, NULL, @4, no_vars);
      }
    | type ARROW type STATEFUL FILTER open members close {
        $$ = finish_stream(ctx, $7, @$, &$1, &$3, true, NULL, @5, no_vars);
      }
    | type ARROW type composite block {
        $$ = finish_stream(ctx, build_composite(ctx, $4, $5), @$, &$1, &$3, false, NULL, @4, no_vars);
      }
    ;

members
    : %empty { $$ = build_filter_body(ctx); }
    | members declaration ';' { $$ = $1; add_fields(ctx, &$$, $2); }
    | members INIT block { $$ = $1; add_function(ctx, &$$, FUNC_INIT, @2, "init", no_type, no_vars, NULL, $3); }
    | members WORK rates block { $$ = $1; add_function(ctx, &$$, FUNC_WORK, @2, "work", no_type, no_vars, &$3, $4); }
    | members PREWORK rates block {
        $$ = $1;
        add_function(ctx, &$$, FUNC_PREWORK, @2, "prework", no_type, no_vars, &$3, $4);
      }
    | members HANDLER ID params block {
        $$ = $1;
        add_function(ctx, &$$, FUNC_HANDLER, @3, $3, no_type, $4, NULL, $5);
      }
    | members type ID params rates block {
        $$ = $1;
        add_function(ctx, &$$, FUNC_HELPER, @3, $3, $2, $4, &$5, $6);
      }
    | members error ';' { $$ = $1; yyerrok; }
    ;

params_opt
    : %empty { $$ = no_vars; }
    | params
    ;

params
    : '(' ')' { $$ = no_vars; }
    | '(' param_list ')' { $$ = $2; }
    ;

param_list
    : type declared { $$ = build_vars(ctx, no_vars, $1, $2, no_expr); }
    | param_list ',' type declared { $$ = build_vars(ctx, $1, $3, $4, no_expr); }
    ;

rates
    : %empty { $$ = (parsed_rates){0}; }
    | rates rate_kind rate { $$ = build_rates(ctx, $1, $2, src_join(@2, @3), $3); }
    ;

rate_kind
    : PUSH { $$ = TOK_PUSH; }
    | POP { $$ = TOK_POP; }
    | PEEK { $$ = TOK_PEEK; }
    ;

rate
    : '*' { $$ = (parsed_rate){.rate = {.dynamic = true}}; }
    | '[' dyn ',' dyn ']' {
        $$ = (parsed_rate){{.dynamic = true, .min = $2.rate.value, .max = $4.rate.value},
                           highest($2.height, $4.height, 0)};
      }
    | '[' dyn ',' dyn ',' dyn ']' {
        $$ = (parsed_rate){{.dynamic = true, .min = $2.rate.value, .avg = $4.rate.value, .max = $6.rate.value},
                           highest($2.height, $4.height, $6.height)};
      }
    | expr { $$ = (parsed_rate){{.value = $1.expr}, $1.height}; }
    ;

dyn
    : '*' { $$ = (parsed_rate){0}; }
    | expr { $$ = (parsed_rate){{.value = $1.expr}, $1.height}; }
    ;

/* Types */

prim
    : BOOLEAN { $$ = &lang_type_boolean; }
    | BIT { $$ = &lang_type_bit; }
    | INT { $$ = &lang_type_int; }
    | FLOAT { $$ = &lang_type_float; }
    | DOUBLE { $$ = &lang_type_double; }
    | COMPLEX { $$ = &lang_type_complex; }
    | FLOAT2 { $$ = &lang_type_error; report_vector_type(ctx, @1); }
    | FLOAT3 { $$ = &lang_type_error; report_vector_type(ctx, @1); }
    | FLOAT4 { $$ = &lang_type_error; report_vector_type(ctx, @1); }
    ;

type
    : other_type
    | ID dims { $$ = build_array(ctx, @$, build_type_name(ctx, @1, $1), $2); }
    ;

other_type
    : prim dims { $$ = build_array(ctx, @$, build_type(ctx, @1, $1), $2); }
    | VOID { $$ = build_type(ctx, @$, &lang_type_void); }
    | PORTAL '<' ID '>' { $$ = build_portal(ctx, @$, $3, @3); }
    ;

// In a statement 'Name[3]' is first read as a subscripted variable.
local_type
    : other_type
    | postfix { $$ = build_type_of_postfix(ctx, @$, $1); }
    ;

dims
    : %empty { $$ = no_exprs; }
    | dims '[' expr ']' { $$ = build_args(ctx, $1, $3); }
    | dims '[' ']' {
        report_missing_bounds(ctx, src_join(@2, @3));
        $$ = build_args(ctx, $1, build_error_expr(ctx, @2));
      }
    ;

declared
    : ID { $$ = (parsed_name){.name = $1, .range = @1}; }
    | declared '[' expr ']' {
        $$ = $1;
        $$.dims = build_args(ctx, $1.dims, $3);
        report_c_array(ctx, &$$, src_join(@2, @4));
      }
    | declared '[' ']' {
        $$ = $1;
        $$.dims = build_args(ctx, $1.dims, build_error_expr(ctx, @2));
        report_c_array(ctx, &$$, src_join(@2, @3));
      }
    ;

declaration
    : type declared { $$ = build_vars(ctx, no_vars, $1, $2, no_expr); }
    | type declared '=' init { $$ = build_vars(ctx, no_vars, $1, $2, $4); }
    | declaration ',' declared { $$ = build_vars(ctx, $1, $1.type, $3, no_expr); }
    | declaration ',' declared '=' init { $$ = build_vars(ctx, $1, $1.type, $3, $5); }
    ;

local_declaration
    : local_type declared { $$ = build_vars(ctx, no_vars, $1, $2, no_expr); }
    | local_type declared '=' init { $$ = build_vars(ctx, no_vars, $1, $2, $4); }
    | local_declaration ',' declared { $$ = build_vars(ctx, $1, $1.type, $3, no_expr); }
    | local_declaration ',' declared '=' init { $$ = build_vars(ctx, $1, $1.type, $3, $5); }
    ;

init
    : expr
    | '{' '}' { $$ = build_array_expr(ctx, @$, no_exprs); }
    | '{' inits '}' { $$ = build_array_expr(ctx, @$, $2); }
    ;

inits
    : init { $$ = build_args(ctx, no_exprs, $1); }
    | inits ',' init { $$ = build_args(ctx, $1, $3); }
    ;

/* Statements */

block : open stmts close { $$ = build_block(ctx, @$, $2); } ;

stmts
    : %empty { $$ = (parsed_stmts){0}; }
    | stmts stmt { $$ = build_stmts(ctx, $1, $2); }
    ;

stmt
    : block
    | ';' { ast_stmt *s; $$ = build_stmt(ctx, STMT_EMPTY, @$, 0, &s); }
    | local_declaration ';' { $$ = build_declaration(ctx, @$, $1); }
    | simple ';' { $$ = $1; $$.stmt->range = @$; }
    | postfix '.' ID args latency ';' { $$ = build_send(ctx, @$, $1, $3, @3, $4, &$5); }
    | PUSH '(' expr ')' ';' { $$ = build_expr_stmt(ctx, STMT_PUSH, @$, $3); }
    | ENQUEUE expr ';' { $$ = build_expr_stmt(ctx, STMT_ENQUEUE, @$, $2); }
    | BREAK ';' { ast_stmt *s; $$ = build_stmt(ctx, STMT_BREAK, @$, 0, &s); }
    | CONTINUE ';' { ast_stmt *s; $$ = build_stmt(ctx, STMT_CONTINUE, @$, 0, &s); }
    | RETURN expr_opt ';' { $$ = build_expr_stmt(ctx, STMT_RETURN, @$, $2); }
    | IF '(' expr ')' stmt %prec NOTHING { $$ = build_if(ctx, @$, $3, $5, no_stmt); }
    | IF '(' expr ')' stmt ELSE stmt { $$ = build_if(ctx, @$, $3, $5, $7); }
    | WHILE '(' expr ')' stmt { $$ = build_loop(ctx, STMT_WHILE, @$, no_stmt, $3, no_stmt, $5); }
    | DO stmt WHILE '(' expr ')' ';' {
        $$ = build_loop(ctx, STMT_DO, @$, no_stmt, $5, no_stmt, $2);
      }
    | IF '(' error ')' stmt %prec NOTHING { $$ = build_if(ctx, @$, build_error_expr(ctx, @3), $5, no_stmt); yyerrok; }
    | IF '(' error ')' stmt ELSE stmt { $$ = build_if(ctx, @$, build_error_expr(ctx, @3), $5, $7); yyerrok; }
    | WHILE '(' error ')' stmt {
        $$ = build_loop(ctx, STMT_WHILE, @$, no_stmt, build_error_expr(ctx, @3), no_stmt, $5);
        yyerrok;
      }
    | DO stmt WHILE '(' error ')' ';' {
        $$ = build_loop(ctx, STMT_DO, @$, no_stmt, build_error_expr(ctx, @5), no_stmt, $2);
        yyerrok;
      }
    | DO stmt error ';' {
        $$ = build_loop(ctx, STMT_DO, @$, no_stmt, build_error_expr(ctx, @3), no_stmt, $2);
        yyerrok;
      }
    | FOR '(' error ')' stmt {
        $$ = build_loop(ctx, STMT_FOR, @$, no_stmt, build_error_expr(ctx, @3), no_stmt, $5);
        yyerrok;
      }
    | FOR '(' for_init ';' expr_opt ';' for_step ')' stmt { $$ = build_loop(ctx, STMT_FOR, @$, $3, $5, $7, $9); }
    | add_op child { $$ = build_child(ctx, (ast_stmt_kind)$1, @$, $2); }
    | SPLIT splitter ';' { $$ = build_split(ctx, STMT_SPLIT, @$, $2); }
    | JOIN splitter ';' { $$ = build_split(ctx, STMT_JOIN, @$, $2); }
    | error ';' { ast_stmt *s; $$ = build_stmt(ctx, STMT_ERROR, @$, 0, &s); yyerrok; }
    ;

for_init
    : %empty { $$ = no_stmt; }
    | local_declaration { $$ = build_declaration(ctx, @$, $1); }
    | simple
    ;

for_step
    : %empty { $$ = no_stmt; }
    | simple
    ;

simple
    : INC postfix { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_incdec(ctx, @$, $2, true, true)); }
    | DEC postfix { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_incdec(ctx, @$, $2, false, true)); }
    | postfix INC { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_incdec(ctx, @$, $1, true, false)); }
    | postfix DEC { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_incdec(ctx, @$, $1, false, false)); }
    | postfix aop expr { $$ = build_assign(ctx, @$, $1, $2, $3); }
    | ID args { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_call(ctx, @$, NULL, $1, @1, $2)); }
    | postfix '.' ID args { $$ = build_send(ctx, @$, $1, $3, @3, $4, NULL); }
    | POP '(' ')' { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_leaf(ctx, EXPR_POP, @$)); }
    | PEEK '(' expr ')' { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_peek(ctx, @$, $3)); }
    | ITER '(' ')' { $$ = build_expr_stmt(ctx, STMT_EXPR, @$, build_leaf(ctx, EXPR_ITER, @$)); }
    ;

aop
    : '=' { $$ = -1; }
    | ADD_ASSIGN { $$ = LANG_OP_ADD; }
    | SUB_ASSIGN { $$ = LANG_OP_SUB; }
    | MUL_ASSIGN { $$ = LANG_OP_MUL; }
    | DIV_ASSIGN { $$ = LANG_OP_DIV; }
    | SHL_ASSIGN { $$ = LANG_OP_SHL; }
    | SHR_ASSIGN { $$ = LANG_OP_SHR; }
    | BAD_ASSIGN { $$ = (int)$1; report_bad_assign(ctx, @1, $1); }
    ;

latency
    : '[' expr_opt ':' expr_opt ']' {
        $$ = (parsed_latency){false, $2.expr, $4.expr, highest($2.height, $4.height, 0)};
      }
    | '[' '*' ']' { $$ = (parsed_latency){.best_effort = true}; }
    ;

add_op
    : ADD { $$ = STMT_ADD; }
    | BODY { $$ = STMT_BODY; }
    | LOOP { $$ = STMT_LOOP; }
    ;

child
    : ID args_opt to_opt ';' { $$ = build_named_child(ctx, $1, @1, NULL, $2, $3); }
    | ID type_arg args_opt to_opt ';' { $$ = build_named_child(ctx, $1, @1, &$2, $3, $4); }
    | anonymous %prec NOTHING { $$ = build_anonymous_child(ctx, $1, no_exprs); }
    | anonymous ';' { $$ = build_anonymous_child(ctx, $1, no_exprs); }
    | anonymous to ';' { $$ = build_anonymous_child(ctx, $1, $2); }
    ;

type_arg : '<' type '>' { $$ = $2; } ;

to_opt
    : %empty { $$ = no_exprs; }
    | to
    ;

to
    : TO ID { $$ = build_args(ctx, no_exprs, build_name(ctx, @2, $2)); }
    | to ',' ID { $$ = build_args(ctx, $1, build_name(ctx, @3, $3)); }
    ;

splitter
    : DUPLICATE { $$ = (parsed_split){.kind = SPLIT_DUPLICATE}; }
    | DUPLICATE '(' ')' { $$ = (parsed_split){.kind = SPLIT_DUPLICATE}; }
    | ROUNDROBIN { $$ = (parsed_split){.kind = SPLIT_ROUNDROBIN}; }
    | ROUNDROBIN args { $$ = (parsed_split){SPLIT_ROUNDROBIN, $2.list.len > 0, $2}; }
    ;

/* Expressions, loosest first: '|', '&' and '^' share a level, and shifts bind like '*'. */

expr_opt
    : %empty { $$ = no_expr; }
    | expr
    ;

expr : cond_expr ;

cond_expr
    : or_expr
    | or_expr '?' cond_expr ':' cond_expr { $$ = build_cond(ctx, @$, $1, $3, $5); }
    ;

or_expr
    : and_expr
    | or_expr LOR and_expr { $$ = build_binary(ctx, @$, LANG_OP_LOR, @2, $1, $3); }
    ;

and_expr
    : bit_expr
    | and_expr LAND bit_expr { $$ = build_binary(ctx, @$, LANG_OP_LAND, @2, $1, $3); }
    ;

bit_expr
    : eq_expr
    | bit_expr bit_op eq_expr { $$ = build_binary(ctx, @$, $2, @2, $1, $3); }
    ;

bit_op
    : '|' { $$ = LANG_OP_OR; }
    | '&' { $$ = LANG_OP_AND; }
    | '^' { $$ = LANG_OP_XOR; }
    ;

eq_expr
    : rel_expr
    | eq_expr eq_op rel_expr { $$ = build_binary(ctx, @$, $2, @2, $1, $3); }
    ;

eq_op
    : EQ { $$ = LANG_OP_EQ; }
    | NE { $$ = LANG_OP_NE; }
    ;

rel_expr
    : sum_expr
    | rel_expr rel_op sum_expr { $$ = build_binary(ctx, @$, $2, @2, $1, $3); }
    ;

rel_op
    : '<' { $$ = LANG_OP_LT; }
    | LE { $$ = LANG_OP_LE; }
    | '>' { $$ = LANG_OP_GT; }
    | GE { $$ = LANG_OP_GE; }
    ;

sum_expr
    : mul_expr
    | sum_expr sum_op mul_expr { $$ = build_binary(ctx, @$, $2, @2, $1, $3); }
    ;

sum_op
    : '+' { $$ = LANG_OP_ADD; }
    | '-' { $$ = LANG_OP_SUB; }
    ;

mul_expr
    : cast_expr
    | mul_expr mul_op cast_expr { $$ = build_binary(ctx, @$, $2, @2, $1, $3); }
    ;

mul_op
    : '*' { $$ = LANG_OP_MUL; }
    | '/' { $$ = LANG_OP_DIV; }
    | '%' { $$ = LANG_OP_REM; }
    | SHL { $$ = LANG_OP_SHL; }
    | SHR { $$ = LANG_OP_SHR; }
    ;

// The original does not let casts and prefix operators follow each other freely; here they may, as in C.
cast_expr
    : '(' prim ')' cast_expr { $$ = build_cast(ctx, @$, $2, $4); }
    | unary_expr
    ;

unary_expr
    : INC postfix { $$ = build_incdec(ctx, @$, $2, true, true); }
    | DEC postfix { $$ = build_incdec(ctx, @$, $2, false, true); }
    | postfix INC { $$ = build_incdec(ctx, @$, $1, true, false); }
    | postfix DEC { $$ = build_incdec(ctx, @$, $1, false, false); }
    | prefix_op cast_expr { $$ = build_unary(ctx, @$, $1, $2); }
    | primary
    ;

prefix_op
    : '-' { $$ = LANG_OP_NEG; }
    | '!' { $$ = LANG_OP_NOT; }
    | '~' { $$ = LANG_OP_COMPL; }
    ;

primary
    : '(' expr ')' { $$ = $2; }
    | ID args { $$ = build_call(ctx, @$, NULL, $1, @1, $2); }
    | postfix '.' ID args { $$ = build_call(ctx, @$, &$1, $3, @3, $4); }
    | postfix
    | INT_LITERAL { $$ = build_literal_int(ctx, @$, $1, $1 >= 0 && $1 <= 1 && @1.end - @1.begin == 1); }
    | FLOAT_LITERAL { $$ = build_literal_float(ctx, @$, EXPR_FLOAT, $1); }
    | IMAGINARY { $$ = build_literal_float(ctx, @$, EXPR_IMAG, $1); }
    | STRING { $$ = build_literal_string(ctx, @$, $1); }
    | BAD_LITERAL { $$ = build_error_expr(ctx, @$); }
    | PI { $$ = build_literal_float(ctx, @$, EXPR_FLOAT, 3.14159265358979323846f); }
    | TRUE { $$ = build_literal_bool(ctx, @$, true); }
    | FALSE { $$ = build_literal_bool(ctx, @$, false); }
    | POP '(' ')' { $$ = build_leaf(ctx, EXPR_POP, @$); }
    | PEEK '(' expr ')' { $$ = build_peek(ctx, @$, $3); }
    | ITER '(' ')' { $$ = build_leaf(ctx, EXPR_ITER, @$); }
    | FLOAT2 args { $$ = build_vector(ctx, @$, $2); }
    | FLOAT3 args { $$ = build_vector(ctx, @$, $2); }
    | FLOAT4 args { $$ = build_vector(ctx, @$, $2); }
    ;

postfix
    : ID { $$ = build_name(ctx, @$, $1); }
    | postfix '.' ID { $$ = build_field(ctx, @$, $1, $3, @3); }
    | postfix '[' expr ']' { $$ = build_index(ctx, @$, $1, $3); }
    | postfix '[' ']' { $$ = build_index(ctx, @$, $1, no_expr); }
    ;

args_opt
    : %empty { $$ = no_exprs; }
    | args
    ;

args
    : '(' ')' { $$ = no_exprs; }
    | '(' exprs ')' { $$ = $2; }
    ;

exprs
    : expr { $$ = build_args(ctx, no_exprs, $1); }
    | exprs ',' expr { $$ = build_args(ctx, $1, $3); }
    ;

%%

// Only the exhaustion of the parser's stack comes here; parse.c reports it.
static void yyerror(const src_range *where, parse_context *ctx, const char *message)
{
    (void)where;
    (void)message;
    ctx->overflow = true;
}

// parse.c has reported the error when it pushes the token that cannot be accepted.
static int yyreport_syntax_error(const yypcontext_t *where, parse_context *ctx)
{
    (void)where;
    (void)ctx;
    return 0;
}

bool streamit_acceptable(streamit_parser *parser, int kind)
{
    return yy_lac(parser->yyesa, &parser->yyes, &parser->yyes_capacity, parser->yyssp, YYTRANSLATE(kind)) == 0;
}

const char *streamit_token_name(int kind)
{
    return yysymbol_name(YYTRANSLATE(kind));
}

bool streamit_token_is_keyword(int kind)
{
    return kind >= TOK_FIRST_KEYWORD && kind <= TOK_LAST_KEYWORD;
}
