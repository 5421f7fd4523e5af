/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <spu_internals.h>
#include <spu_intrinsics.h>
#include <stdio.h>

static int wrong;

static void expect(const char *what, int right)
{
    if (!right)
        printf("quads: %s is wrong\n", what);
    wrong += !right;
}

static const float numbers[8] __attribute__((aligned(16))) = {1, 2, 3, 4, 5, 6, 7, 8};

/* Four floats from an address that is a multiple of 4. */
static vec_float4 load4(const float *from)
{
    const vec_uchar16 bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const unsigned int shift = (unsigned int)from & 15;
    const vec_float4 *quad = (const vec_float4 *)((unsigned int)from & ~15u);
    return spu_shuffle(quad[0], quad[1], spu_add((vec_ushort8)bytes, spu_splats((unsigned short)(shift * 257))));
}

static void instructions(void)
{
    const qword seven = si_from_int(7), three = si_from_int(3), x = si_from_float(1.5f), y = si_from_float(4.0f);
    expect("si_a", si_to_int(si_a(seven, three)) == 10);
    expect("si_ai", si_to_int(si_ai(seven, -9)) == -2);
    expect("si_sf", si_to_int(si_sf(three, seven)) == 4);
    expect("si_sfi", si_to_int(si_sfi(three, 10)) == 7);
    expect("si_and", si_to_int(si_and(seven, three)) == 3);
    expect("si_or", si_to_int(si_or(seven, si_from_int(8))) == 15);
    expect("si_xor", si_to_int(si_xor(seven, three)) == 4);
    expect("si_andi", si_to_int(si_andi(seven, 5)) == 5);
    expect("si_nor", si_to_int(si_nor(seven, three)) == ~7);
    expect("si_shli", si_to_int(si_shli(three, 4)) == 48);
    expect("si_rotmi", si_to_int(si_rotmi(si_from_int(-16), -28)) == 15);
    expect("si_rotmai", si_to_int(si_rotmai(si_from_int(-16), -2)) == -4);
    expect("si_roti", si_to_uint(si_roti(si_from_uint(0x80000001u), 4)) == 0x18);
    expect("si_ceq", si_to_int(si_ceq(seven, seven)) == -1);
    expect("si_cgt", si_to_int(si_cgt(three, seven)) == 0);
    expect("si_clgt", si_to_int(si_clgt(si_from_int(-1), seven)) == -1);
    expect("si_cgti", si_to_int(si_cgti(seven, 6)) == -1);
    expect("si_selb", si_to_int(si_selb(seven, three, si_ceq(seven, seven))) == 3);
    expect("si_mpy", si_to_int(si_mpy(si_from_int(-300), seven)) == -2100);
    expect("si_mpyu", si_to_uint(si_mpyu(si_from_uint(60000), si_from_uint(50000))) == 3000000000u);
    expect("si_fa", si_to_float(si_fa(x, y)) == 5.5f);
    expect("si_fs", si_to_float(si_fs(x, y)) == -2.5f);
    expect("si_fm", si_to_float(si_fm(x, y)) == 6.0f);
    expect("si_fma", si_to_float(si_fma(x, y, x)) == 7.5f);
    expect("si_fms", si_to_float(si_fms(x, y, x)) == 4.5f);
    expect("si_fnms", si_to_float(si_fnms(x, y, y)) == -2.0f);
    expect("si_fcgt", si_to_int(si_fcgt(y, x)) == -1);
    expect("si_fceq", si_to_int(si_fceq(y, x)) == 0);
    expect("si_cflts", si_to_int(si_cflts(y, 173)) == 4);
    expect("si_csflt", si_to_float(si_csflt(three, 155)) == 3.0f);
    expect("si_il", si_to_int(si_il(-5)) == -5);
    expect("si_ila", si_to_uint(si_ila(200000)) == 200000);
    expect("si_ilhu", si_to_uint(si_iohl(si_ilhu(0x1234), 0x5678)) == 0x12345678u);
    expect("si_clz", si_to_int(si_clz(three)) == 30);
    expect("si_orx", si_to_int(si_orx((qword)(vec_int4){1, 2, 4, 8})) == 15);
    expect("si_lqd", si_to_float(si_lqd(si_from_ptr(numbers), 16)) == 5.0f);
    expect("si_lqx", si_to_float(si_lqx(si_from_ptr(numbers), si_from_int(16))) == 5.0f);
    vec_float4 place = spu_splats(0.0f);
    si_stqd((qword)spu_splats(9.0f), si_from_ptr(&place), 0);
    expect("si_stqd", spu_extract(place, 2) == 9.0f);
    expect("si_rotqbyi", si_to_float(si_rotqbyi((qword)(vec_float4){1, 2, 3, 4}, 4)) == 2.0f);
    expect("si_shlqbyi", spu_extract((vec_float4)si_shlqbyi((qword)(vec_float4){1, 2, 3, 4}, 12), 1) == 0.0f);
}

static void vectors(void)
{
    const vec_float4 four = load4(numbers + 3);
    expect("load4", spu_extract(four, 0) == 4 && spu_extract(four, 3) == 7);
    const vec_uint4 large = spu_cmpgt(four, spu_splats(5.0f));
    expect("spu_sel", spu_extract(spu_sel(four, spu_splats(0.0f), large), 3) == 0 && spu_extract(large, 1) == 0);
    expect("spu_gather", spu_extract(spu_gather(large), 0) == 3);
    expect("spu_mulh", spu_extract(spu_mulh((vec_short8){3, 5}, (vec_short8){0, 7}), 0) == 3 * 7 << 16);
    expect("spu_sumb", spu_extract(spu_sumb(spu_splats((unsigned char)3), spu_splats((unsigned char)5)), 1) == 12);
    expect("spu_gencx", spu_extract(spu_gencx(spu_splats(0xffffffffu), spu_splats(0u), spu_splats(1u)), 0) == 1);
    expect("spu_genbx", spu_extract(spu_genbx(spu_splats(4u), spu_splats(4u), spu_splats(0u)), 0) == 0);
    expect("spu_rlmaskqwbytebc", spu_extract(spu_rlmaskqwbytebc((vec_uint4){1, 2, 3, 4}, -32), 1) == 1);
    expect("spu_testsv", spu_extract(spu_testsv((vec_double2){-0.0, 1.0}, SPU_SV_NEG_ZERO), 0) == ~0ull);
}

int main(void)
{
    instructions();
    vectors();
    return wrong;
}
