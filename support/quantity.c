// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seconds, bytes and counts as people read them.
#include "support/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "support/strbuf.h"

static const quantity_unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}};

quantity_unit quantity_unit_for(double seconds)
{
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && seconds < units[i].seconds * 0.99995)
        i++;
    return units[seconds > 0 ? i : 0];
}

const char *quantity_seconds(arena *a, double seconds)
{
    if (seconds <= 0)
        return "0 s";
    quantity_unit unit = quantity_unit_for(seconds);
    double v = seconds / unit.seconds;
    return arena_printf(a, "%.*f %s", v >= 99.995 ? 1 : v >= 9.9995 ? 2 : 3, v, unit.name);
}

// A comma before each three digits ahead of the point.
static const char *grouped(arena *a, const char *digits)
{
    size_t whole = strcspn(digits, ".");
    strbuf b;
    strbuf_init(&b, a);
    for (size_t i = 0; digits[i] != '\0'; i++) {
        bool sign = digits[0] == '-';
        if (i > sign && i < whole && (whole - i) % 3 == 0)
            strbuf_addc(&b, ',');
        strbuf_addc(&b, digits[i]);
    }
    return b.data;
}

const char *quantity_seconds_in(arena *a, double seconds, quantity_unit unit)
{
    double v = seconds / unit.seconds;
    return grouped(a, arena_printf(a, "%.*f", fabs(v) >= 99.995 ? 1 : fabs(v) >= 9.9995 ? 2 : 3, v));
}

const char *quantity_bytes(arena *a, double bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    for (; i + 1 < sizeof names / sizeof *names && bytes >= 1024; i++)
        bytes /= 1024;
    return arena_printf(a, bytes <= floor(bytes) ? "%.0f %s" : "%.1f %s", bytes, names[i]);
}

const char *quantity_count(arena *a, double n)
{
    return grouped(a, arena_printf(a, "%.0f", n));
}
