// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which names of its surroundings the text of a function has: NOTE(uses) in body_int.h.
#include "hlc/emit/body_int.h"

const char *body_named(body_context *c, body_name name)
{
    static const char *const texts[] = {
        [BODY_DYNAMIC] = "dynamic",
        [BODY_IN] = "in",
        [BODY_IN_COUNT] = "n_in",
        [BODY_OUT] = "out",
        [BODY_OUT_COUNT] = "n_out",
        [BODY_ITER] = "iter",
        [BODY_RANDOM] = "random",
        [BODY_LOG] = "prints",
        [BODY_SENDER] = "svm_sender",
        [BODY_ACTOR] = "svm_actor",
        [BODY_POP_LIMIT] = "svm_popLimit",
        [BODY_PEEK_LIMIT] = "svm_peekLimit",
        [BODY_PUSH_LIMIT] = "svm_pushLimit",
        [BODY_POPPED_BEFORE] = "svm_poppedBefore",
        [BODY_PUSHED_BEFORE] = "svm_pushedBefore",
        [BODY_INSIDE] = "svm_inside",
        [BODY_RESULT] = "result",
    };
    body_use(c, name, 0);
    return texts[name];
}

const char *body_field_named(body_context *c, uint32_t field)
{
    body_use(c, BODY_FIELD, field);
    emit_use_held(c->e, c->info->held.len == 0 ? 0 : c->info->held.data[field]);
    return c->info->field_names.data[field];
}

const char *body_local_named(body_context *c, uint32_t local)
{
    body_use(c, BODY_LOCAL, local);
    return c->locals[local].c_name;
}

void body_use(body_context *c, body_name name, uint32_t index)
{
    if (name == BODY_LOCAL && index >= c->function->param_count)
        return; // nobody asks
    VEC_PUSH(c->e->arena, &c->uses, (body_name_use){name, index});
}

bool body_uses(const body_context *c, body_name name, uint32_t index)
{
    for (VEC_EACH(const body_name_use, u, &c->uses))
        if (u->name == name && u->index == index)
            return true;
    return false;
}

body_spot body_here(const body_context *c)
{
    return (body_spot){c->e->out->len, c->uses.len};
}

void body_forget_text(body_context *c, size_t at)
{
    c->e->out->len = at;
    c->e->out->data[at] = '\0';
}

void body_forget(body_context *c, body_spot to)
{
    if (c->e->out->len > to.text)
        body_forget_text(c, to.text);
    c->uses.len = to.uses;
}

body_use_list body_take_uses(body_context *c, size_t from)
{
    body_use_list taken = {0};
    for (size_t i = from; i < c->uses.len; i++)
        VEC_PUSH(c->e->arena, &taken, c->uses.data[i]);
    c->uses.len = from;
    return taken;
}

void body_give_uses(body_context *c, const body_use_list *uses)
{
    for (VEC_EACH(const body_name_use, u, uses))
        VEC_PUSH(c->e->arena, &c->uses, *u);
}
