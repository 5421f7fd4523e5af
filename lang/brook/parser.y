// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammar of Brook's kernels, reduce functions and of the structs that are elements. It reads one of these at a
// time; the rest of a file is host code, which is not parsed (host_*.c). Actions only build the tree (build.c).
//
// A struct's name comes as TYPE_NAME (parse.c looks it up). Error recovery is steered from parse.c: 'error' below stands
// for a skipped piece that ends in a ';' of its own.
%code requires {
#include "lang/brook/parse.h"
}
%define api.pure full
%define api.push-pull push
%define api.prefix {brook_yy}
%define api.token.prefix {TOK_}
%define api.location.type {src_range}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {brook_context *ctx}

%union {
    const char *name;
    brook_token token;
    int op;
    brook_type type;
    brook_expr *expr;
    brook_exprs exprs;
    brook_stmt *stmt;
    brook_stmts stmts;
    brook_specifiers specifiers;
    brook_declarator declarator;
    brook_declarators declarators;
    brook_vars vars;
    brook_struct *structure;
}

%code provides {
enum {
    TOK_FIRST_KEYWORD = TOK_KERNEL,
    TOK_LAST_KEYWORD = TOK_SHORTFIXED4,
    TOK_FIRST_TYPE = TOK_FLOAT,
    TOK_LAST_TYPE = TOK_SHORTFIXED4,
};
}

%code {
#define YYLLOC_DEFAULT(Current, Rhs, N)                                                                                \
    ((Current) = (N) ? src_join((Rhs)[1], (Rhs)[N])                                                                    \
                     : (src_range){(Rhs)[0].file, (Rhs)[0].end, (Rhs)[0].end})
#define YYMAXDEPTH 10000

static void yyerror(const src_range *where, brook_context *ctx, const char *message);

#define BINARY(op, range, at, l, r) brook_new_binary(ctx, range, LANG_OP_##op, at, l, r)
static const brook_exprs no_exprs;
static const brook_stmts no_stmts;
static const brook_vars no_vars;
static const brook_declarators no_declarators;
}

%token END 0 "the end of the file"
%token <name> ID "a name" TYPE_NAME "a type's name"
%token <token> NUMBER "a number"
%token STRING "a string" CHARACTER "a character" DIRECTIVE "a directive" OTHER "a stray character"
%token KERNEL "kernel" REDUCE "reduce" ITER "iter" OUT "out" VOUT "vout" INDEXOF "indexof" CONST "const"
       VOID "void" UNSIGNED "unsigned" SIGNED "signed" STRUCT "struct" TYPEDEF "typedef" STATIC "static"
       EXTERN "extern" SIZEOF "sizeof" IF "if" ELSE "else" WHILE "while" FOR "for" DO "do" SWITCH "switch" CASE "case"
       DEFAULT "default" BREAK "break" CONTINUE "continue" RETURN "return" GOTO "goto" DISCARD "discard" INT "int"
       SHORT "short" LONG "long" UNION "union" ENUM "enum" REGISTER "register" AUTO "auto" VOLATILE "volatile"
       INLINE "inline"
       FLOAT "float" FLOAT2 "float2" FLOAT3 "float3" FLOAT4 "float4" DOUBLE "double" DOUBLE2 "double2" CHAR "char"
       CHAR2 "char2" CHAR3 "char3" CHAR4 "char4" UCHAR "uchar" UCHAR2 "uchar2" UCHAR3 "uchar3" UCHAR4 "uchar4"
       FIXED "fixed" FIXED2 "fixed2" FIXED3 "fixed3" FIXED4 "fixed4" SHORTFIXED "shortfixed" SHORTFIXED2 "shortfixed2"
       SHORTFIXED3 "shortfixed3" SHORTFIXED4 "shortfixed4"
%token ELLIPSIS "..." ARROW "->" INC "++" DEC "--" ADD_ASSIGN "+=" SUB_ASSIGN "-=" MUL_ASSIGN "*=" DIV_ASSIGN "/="
       REM_ASSIGN "%=" AND_ASSIGN "&=" OR_ASSIGN "|=" XOR_ASSIGN "^=" SHL_ASSIGN "<<=" SHR_ASSIGN ">>=" LAND "&&"
       LOR "||" EQ "==" NE "!=" LE "<=" GE ">=" SHL "<<" SHR ">>"

%type <expr> expr assign cond lor land bor bxor band eq rel shift sum mul cast unary postfix primary init inits expr_opt
%type <exprs> args arg_list init_list
%type <op> assign_op
%type <type> type_word
%type <specifiers> spec specs
%type <declarator> declarator init_declarator member_declarator
%type <declarators> init_declarators member_declarators
%type <vars> param param_list params
%type <stmt> stmt block for_init
%type <stmts> stmts
%type <structure> members

%precedence NOTHING
%precedence ELSE

%%

item
    : specs ID '(' params ')' block { brook_finish_kernel(ctx, @$, &$1, $2, @2, &$4, $6); }
    | specs ID '(' params ')' ';' { brook_finish_kernel(ctx, @$, &$1, $2, @2, &$4, NULL); }
    | TYPEDEF STRUCT ID '{' members '}' ID ';' { brook_finish_struct(ctx, @$, $5, $3, $7, @7); }
    | TYPEDEF STRUCT '{' members '}' ID ';' { brook_finish_struct(ctx, @$, $4, NULL, $6, @6); }
    ;

members
    : %empty { $$ = ARENA_NEW(ctx->arena, brook_struct); }
    | members specs member_declarators ';' {
        $$ = $1;
        for (VEC_EACH(brook_declarator, d, &$3))
            brook_add_members(ctx, $$, &$2, d);
      }
    | members error ';' { yyerrok; $$ = $1; }
    ;

member_declarators
    : member_declarator { $$ = no_declarators; VEC_PUSH(ctx->arena, &$$, $1); }
    | member_declarators ',' member_declarator { $$ = $1; VEC_PUSH(ctx->arena, &$$, $3); }
    ;

member_declarator
    : ID { $$ = (brook_declarator){.name = $1, .range = @1}; }
    | member_declarator '[' cond ']' { $$ = $1; $$.rank++; }
    ;

/* Declarations */

specs
    : spec
    | specs spec { $$ = brook_join_specifiers(ctx, $1, $2); }
    ;

spec
    : KERNEL { $$ = (brook_specifiers){.range = @1, .kind = BROOK_INPUT, .kernel = true}; }
    | REDUCE { $$ = (brook_specifiers){.range = @1, .kind = BROOK_INPUT, .reduce = true}; }
    | ITER { $$ = (brook_specifiers){.range = @1, .kind = BROOK_ITERATOR}; }
    | OUT { $$ = (brook_specifiers){.range = @1, .kind = BROOK_OUTPUT}; }
    | VOUT { $$ = brook_bare_vout(ctx, @1); }
    | VOUT '[' ']' { $$ = (brook_specifiers){.range = @$, .kind = BROOK_VOUT}; }
    | VOUT '[' cond ']' { $$ = (brook_specifiers){.range = @$, .kind = BROOK_VOUT, .most = $3}; }
    | CONST { $$ = (brook_specifiers){.range = @1, .kind = BROOK_INPUT, .constant = true}; }
    | UNSIGNED { $$ = brook_type_words(ctx, @$, TOK_UNSIGNED, NULL); }
    | VOID { $$ = brook_type_words(ctx, @$, TOK_VOID, NULL); }
    | INT { $$ = brook_type_words(ctx, @$, TOK_INT, NULL); }
    | type_word { $$ = (brook_specifiers){.range = @1, .kind = BROOK_INPUT, .type = $1, .given = true}; }
    | TYPE_NAME { $$ = brook_type_words(ctx, @$, TOK_TYPE_NAME, $1); }
    | STRUCT ID { $$ = brook_type_words(ctx, @$, TOK_STRUCT, $2); }
    ;

type_word
    : FLOAT { $$ = brook_token_type(TOK_FLOAT); }
    | FLOAT2 { $$ = brook_token_type(TOK_FLOAT2); }
    | FLOAT3 { $$ = brook_token_type(TOK_FLOAT3); }
    | FLOAT4 { $$ = brook_token_type(TOK_FLOAT4); }
    | DOUBLE { $$ = brook_token_type(TOK_DOUBLE); }
    | DOUBLE2 { $$ = brook_token_type(TOK_DOUBLE2); }
    | CHAR { $$ = brook_token_type(TOK_CHAR); }
    | CHAR2 { $$ = brook_token_type(TOK_CHAR2); }
    | CHAR3 { $$ = brook_token_type(TOK_CHAR3); }
    | CHAR4 { $$ = brook_token_type(TOK_CHAR4); }
    | UCHAR { $$ = brook_token_type(TOK_UCHAR); }
    | UCHAR2 { $$ = brook_token_type(TOK_UCHAR2); }
    | UCHAR3 { $$ = brook_token_type(TOK_UCHAR3); }
    | UCHAR4 { $$ = brook_token_type(TOK_UCHAR4); }
    | FIXED { $$ = brook_token_type(TOK_FIXED); }
    | FIXED2 { $$ = brook_token_type(TOK_FIXED2); }
    | FIXED3 { $$ = brook_token_type(TOK_FIXED3); }
    | FIXED4 { $$ = brook_token_type(TOK_FIXED4); }
    | SHORTFIXED { $$ = brook_token_type(TOK_SHORTFIXED); }
    | SHORTFIXED2 { $$ = brook_token_type(TOK_SHORTFIXED2); }
    | SHORTFIXED3 { $$ = brook_token_type(TOK_SHORTFIXED3); }
    | SHORTFIXED4 { $$ = brook_token_type(TOK_SHORTFIXED4); }
    ;

params
    : %empty { $$ = no_vars; }
    | param_list
    ;

param_list
    : param
    | param_list ',' param {
        $$ = $1;
        for (VEC_EACH(brook_var *, v, &$3))
            VEC_PUSH(ctx->arena, &$$, *v);
      }
    ;

param
    : specs declarator { $$ = no_vars; VEC_PUSH(ctx->arena, &$$, brook_new_param(ctx, &$1, &$2)); }
    | specs { $$ = no_vars;
              if ($1.type.element != BROOK_VOID)
                  VEC_PUSH(ctx->arena, &$$, brook_new_param(ctx, &$1, &(brook_declarator){.range = @1})); }
    ;

declarator
    : ID { $$ = (brook_declarator){.name = $1, .range = @1}; }
    | ID '<' '>' { $$ = (brook_declarator){.name = $1, .range = @1, .stream = true}; }
    | ID '<' dims '>' { $$ = (brook_declarator){.name = $1, .range = @1, .stream = true}; }
    | declarator '[' ']' { $$ = $1; $$.rank++; }
    | declarator '[' cond ']' { $$ = $1; $$.rank++; }
    ;

dims
    : shift
    | dims ',' shift
    ;

init_declarators
    : init_declarator { $$ = no_declarators; VEC_PUSH(ctx->arena, &$$, $1); }
    | init_declarators ',' init_declarator { $$ = $1; VEC_PUSH(ctx->arena, &$$, $3); }
    ;

init_declarator
    : declarator
    | declarator '=' init { $$ = $1; $$.init = $3; }
    ;

init
    : assign
    | inits
    ;

inits
    : '{' init_list '}' { $$ = brook_new_list(ctx, BROOK_EXPR_BRACES, @$, (brook_type){0}, &$2); }
    | '{' init_list ',' '}' { $$ = brook_new_list(ctx, BROOK_EXPR_BRACES, @$, (brook_type){0}, &$2); }
    ;

init_list
    : init { $$ = no_exprs; VEC_PUSH(ctx->arena, &$$, $1); }
    | init_list ',' init { $$ = $1; VEC_PUSH(ctx->arena, &$$, $3); }
    ;

/* Statements */

block
    : '{' stmts '}' { $$ = brook_new_block(ctx, @$, &$2); }
    ;

stmts
    : %empty { $$ = no_stmts; }
    | stmts stmt { $$ = $1; if ($2 != NULL) VEC_PUSH(ctx->arena, &$$, $2); }
    | stmts specs init_declarators ';' {
        $$ = $1;
        brook_stmt *s = brook_new_stmt(ctx, BROOK_STMT_DECL, src_join(@2, @4));
        for (VEC_EACH(brook_declarator, d, &$3))
            brook_add_locals(ctx, &s->u.decl, &$2, d);
        VEC_PUSH(ctx->arena, &$$, s);
      }
    | stmts error ';' { yyerrok; $$ = $1; }
    ;

stmt
    : ';' { $$ = brook_new_stmt(ctx, BROOK_STMT_EMPTY, @$); }
    | block
    | expr ';' { $$ = brook_new_expr_stmt(ctx, @$, $1); }
    | IF '(' expr ')' stmt %prec NOTHING { $$ = brook_new_if(ctx, @$, $3, $5, NULL); }
    | IF '(' expr ')' stmt ELSE stmt { $$ = brook_new_if(ctx, @$, $3, $5, $7); }
    | WHILE '(' expr ')' stmt { $$ = brook_new_loop(ctx, BROOK_STMT_WHILE, @$, NULL, $3, NULL, $5); }
    | DO stmt WHILE '(' expr ')' ';' { $$ = brook_new_loop(ctx, BROOK_STMT_DO, @$, NULL, $5, NULL, $2); }
    | FOR '(' for_init expr_opt ';' expr_opt ')' stmt {
        $$ = brook_new_loop(ctx, BROOK_STMT_FOR, @$, $3, $4, $6, $8);
      }
    | BREAK ';' { $$ = brook_new_stmt(ctx, BROOK_STMT_BREAK, @$); }
    | CONTINUE ';' { $$ = brook_new_stmt(ctx, BROOK_STMT_CONTINUE, @$); }
    | DISCARD ';' { $$ = brook_new_stmt(ctx, BROOK_STMT_DISCARD, @$); }
    | RETURN expr_opt ';' { $$ = brook_new_stmt(ctx, BROOK_STMT_RETURN, @$); $$->u.expr = $2; }
    ;

for_init
    : expr_opt ';' { $$ = $1 == NULL ? NULL : brook_new_expr_stmt(ctx, @1, $1); }
    | specs init_declarators ';' {
        $$ = brook_new_stmt(ctx, BROOK_STMT_DECL, @$);
        for (VEC_EACH(brook_declarator, d, &$2))
            brook_add_locals(ctx, &$$->u.decl, &$1, d);
      }
    ;

/* Expressions */

expr_opt
    : %empty { $$ = NULL; }
    | expr
    ;

expr
    : assign
    | expr ',' assign { $$ = brook_new_comma(ctx, @$, $1, $3); }
    ;

assign
    : cond
    | unary '=' assign { $$ = brook_new_assign(ctx, @$, $1, -1, @2, $3); }
    | unary assign_op assign { $$ = brook_new_assign(ctx, @$, $1, $2, @2, $3); }
    ;

assign_op
    : ADD_ASSIGN { $$ = LANG_OP_ADD; }
    | SUB_ASSIGN { $$ = LANG_OP_SUB; }
    | MUL_ASSIGN { $$ = LANG_OP_MUL; }
    | DIV_ASSIGN { $$ = LANG_OP_DIV; }
    | REM_ASSIGN { $$ = LANG_OP_REM; }
    | AND_ASSIGN { $$ = LANG_OP_AND; }
    | OR_ASSIGN { $$ = LANG_OP_OR; }
    | XOR_ASSIGN { $$ = LANG_OP_XOR; }
    | SHL_ASSIGN { $$ = LANG_OP_SHL; }
    | SHR_ASSIGN { $$ = LANG_OP_SHR; }
    ;

cond
    : lor
    | lor '?' expr ':' cond { $$ = brook_new_cond(ctx, @$, $1, $3, $5); }
    ;

lor  : land | lor LOR land { $$ = BINARY(LOR, @$, @2, $1, $3); } ;
land : bor | land LAND bor { $$ = BINARY(LAND, @$, @2, $1, $3); } ;
bor  : bxor | bor '|' bxor { $$ = BINARY(OR, @$, @2, $1, $3); } ;
bxor : band | bxor '^' band { $$ = BINARY(XOR, @$, @2, $1, $3); } ;
band : eq | band '&' eq { $$ = BINARY(AND, @$, @2, $1, $3); } ;
eq   : rel | eq EQ rel { $$ = BINARY(EQ, @$, @2, $1, $3); } | eq NE rel { $$ = BINARY(NE, @$, @2, $1, $3); } ;
rel
    : shift
    | rel '<' shift { $$ = BINARY(LT, @$, @2, $1, $3); }
    | rel '>' shift { $$ = BINARY(GT, @$, @2, $1, $3); }
    | rel LE shift { $$ = BINARY(LE, @$, @2, $1, $3); }
    | rel GE shift { $$ = BINARY(GE, @$, @2, $1, $3); }
    ;
shift : sum | shift SHL sum { $$ = BINARY(SHL, @$, @2, $1, $3); } | shift SHR sum { $$ = BINARY(SHR, @$, @2, $1, $3); } ;
sum   : mul | sum '+' mul { $$ = BINARY(ADD, @$, @2, $1, $3); } | sum '-' mul { $$ = BINARY(SUB, @$, @2, $1, $3); } ;
mul   : cast | mul '*' cast { $$ = BINARY(MUL, @$, @2, $1, $3); } | mul '/' cast { $$ = BINARY(DIV, @$, @2, $1, $3); } | mul '%' cast { $$ = BINARY(REM, @$, @2, $1, $3); } ;

cast
    : unary
    | '(' type_word ')' cast { $$ = brook_new_cast(ctx, @$, $2, $4); }
    | '(' INT ')' cast { $$ = brook_new_cast(ctx, @$, (brook_type){.element = BROOK_INT, .width = 1}, $4); }
    | '(' UNSIGNED ')' cast { $$ = brook_new_cast(ctx, @$, (brook_type){.element = BROOK_UINT, .width = 1}, $4); }
    | '(' UNSIGNED INT ')' cast { $$ = brook_new_cast(ctx, @$, (brook_type){.element = BROOK_UINT, .width = 1}, $5); }
    | '(' UNSIGNED CHAR ')' cast { $$ = brook_new_cast(ctx, @$, (brook_type){.element = BROOK_UCHAR, .width = 1}, $5); }
    ;

unary
    : postfix
    | INC unary { $$ = brook_new_incdec(ctx, @$, $2, true, true); }
    | DEC unary { $$ = brook_new_incdec(ctx, @$, $2, false, true); }
    | '-' cast { $$ = brook_new_unary(ctx, @$, LANG_OP_NEG, $2); }
    | '!' cast { $$ = brook_new_unary(ctx, @$, LANG_OP_NOT, $2); }
    | '~' cast { $$ = brook_new_unary(ctx, @$, LANG_OP_COMPL, $2); }
    | '+' cast { $$ = $2; }
    | '&' cast {
        diag_error(ctx->diags, @1, "kernels have no pointers: '&' cannot be used before a value");
        $$ = brook_new_expr(ctx, BROOK_EXPR_ERROR, @$);
      }
    | '*' cast {
        diag_error(ctx->diags, @1, "kernels have no pointers: '*' cannot be used before a value");
        $$ = brook_new_expr(ctx, BROOK_EXPR_ERROR, @$);
      }
    ;

postfix
    : primary
    | postfix '.' ID { $$ = brook_new_member(ctx, @$, $1, $3, @3); }
    | postfix '.' TYPE_NAME { $$ = brook_new_member(ctx, @$, $1, $3, @3); }
    | postfix ARROW ID {
        diag_error(ctx->diags, @2, "kernels have no pointers: expected '.' instead of '->'");
        $$ = brook_new_member(ctx, @$, $1, $3, @3);
      }
    | postfix '[' expr ']' { $$ = brook_new_index(ctx, @$, $1, $3); }
    | postfix INC { $$ = brook_new_incdec(ctx, @$, $1, true, false); }
    | postfix DEC { $$ = brook_new_incdec(ctx, @$, $1, false, false); }
    ;

primary
    : ID { $$ = brook_new_expr(ctx, BROOK_EXPR_NAME, @$); $$->u.name.name = $1; }
    | NUMBER {
        $$ = brook_new_expr(ctx, BROOK_EXPR_NUMBER, @$);
        $$->u.number = $1.number;
        $$->integral = $1.integral;
      }
    | '(' expr ')' { $$ = $2; $$->range = @$; }
    | ID args { $$ = brook_new_call(ctx, @$, $1, @1, &$2); }
    | type_word args { $$ = brook_new_list(ctx, BROOK_EXPR_MAKE, @$, $1, &$2); }
    | INT args { $$ = brook_new_list(ctx, BROOK_EXPR_MAKE, @$, (brook_type){.element = BROOK_INT, .width = 1}, &$2); }
    | INDEXOF ID { $$ = brook_new_expr(ctx, BROOK_EXPR_INDEXOF, @$); $$->u.name.name = $2; }
    | INDEXOF '(' ID ')' { $$ = brook_new_expr(ctx, BROOK_EXPR_INDEXOF, @$); $$->u.name.name = $3; }
    ;

args
    : '(' ')' { $$ = no_exprs; }
    | '(' arg_list ')' { $$ = $2; }
    ;

arg_list
    : assign { $$ = no_exprs; VEC_PUSH(ctx->arena, &$$, $1); }
    | arg_list ',' assign { $$ = $1; VEC_PUSH(ctx->arena, &$$, $3); }
    ;

%%

// Only the exhaustion of the parser's stack comes here; parse.c reports it.
static void yyerror(const src_range *where, brook_context *ctx, const char *message)
{
    (void)where;
    (void)message;
    ctx->overflow = true;
}

// parse.c has reported the error when it pushes the token that cannot be accepted.
static int yyreport_syntax_error(const yypcontext_t *where, brook_context *ctx)
{
    (void)where;
    (void)ctx;
    return 0;
}

bool brook_acceptable(brook_parser *parser, int kind)
{
    return yy_lac(parser->yyesa, &parser->yyes, &parser->yyes_capacity, parser->yyssp, YYTRANSLATE(kind)) == 0;
}

const char *brook_token_name(int kind)
{
    return yysymbol_name(YYTRANSLATE(kind));
}

bool brook_token_is_keyword(int kind)
{
    return kind >= TOK_FIRST_KEYWORD && kind <= TOK_LAST_KEYWORD;
}
