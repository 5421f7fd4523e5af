#include "bodies.h"
#include <profile.h>
#include <simdmath.h>
#include <spu_mfcio.h>
#include <stdio.h>
#include <vec_literal.h>

static bodies b __attribute__((aligned(128)));

int main(unsigned long long id, unsigned long long argp, unsigned long long envp)
{
    (void)id, (void)envp;
    mfc_get(&b, argp, sizeof b, 2, 0, 0);
    mfc_write_tag_mask(1 << 2);
    mfc_write_tag_update_all();
    mfc_read_tag_status();
    prof_clear();
    prof_start();
    __align_hint(b.place, 16, 0);
    b.squares = VEC_LITERAL(vec_float4, 0, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        b.squares = spu_madd(b.place[i], b.place[i], b.squares);
    prof_stop();
    mfc_put(&b, argp, sizeof b, 2, 0, 0);
    mfc_read_tag_status_all();

    vec_float4 sine, cosine, whole;
    const vec_float4 squares = VEC_LITERAL(vec_float4, 1, 4, 9, 16);
    const vec_float4 roots = _sqrtf4(squares);
    sincosf4(VEC_SPLAT_F32(0), &sine, &cosine);
    const divi4_t parts = divi4(spu_splats(-7), spu_splats(3));
    printf("sqrt %g %g %g %g, sine of 0 %g cosine %g, power %g remainder %d absolute %d\n", roots[0], roots[1], roots[2],
           roots[3], sine[0], cosine[1], powf4(VEC_SPLAT_F32(2), VEC_SPLAT_F32(3))[2], parts.rem[1],
           absi4(VEC_SPLAT_S32(-3))[3]);
    const vec_double2 doubles = exp2d2(VEC_LITERAL(vec_double2, 2, -1));
    const vec_float4 part = modff4(divf4_fast(VEC_SPLAT_F32(5), VEC_SPLAT_F32(2)), &whole);
    printf("2 doubles %g %g, whole %g part %g\n", doubles[0], doubles[1], whole[0], part[3]);
    const qword q = si_shufb(si_from_uchar(200), si_il(0), si_cbd(si_from_uint(3), 2));
    printf("inserted %d at byte %d\n", ((vec_uchar16)q)[5], 5);
    return 0;
}
