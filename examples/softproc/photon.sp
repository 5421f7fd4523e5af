// PHOTON: Monte-Carlo radiative transfer. Photons enter a slab of scattering and absorbing cells at z = 0, straight down, and fly until
// they leave it at either side; each collision absorbs a part of their weight and scatters the rest in all directions alike.
//
// Thread (x, y) follows one photon through 16 flights. s0 holds random numbers, two in each element: flight n of thread (x, y) reads
// element (x, y + n * H), where H is the domain's height. s1 has an element a cell: minus ln 2 over the cell's extinction.
// c0 = (slab's depth, 1 - albedo, albedo, H); c1 = (-1, 1, .)
// Output: weight that left at the top, that left at the bottom, that was absorbed, that is left.
//
// A flight is eight arithmetic instructions and two lookups: 4.00 to 1. Four registers.
        .name photon r1         // (depth, ., ., weight)
        .name tally r2          // (top, bottom, absorbed)
        .name t r3              // random numbers and what is made of them
        .const c2 = 1 -1 0 0
        .const c3 = 0.001

        MUL photon 0 0                  | mov photon 1

// The first flight has its direction, and sets the tally.
        TEX t.rg r0.rg s0
        TEX t.b photon.rb s1.r
        MUL tally 0 0                   | ln2 t t.r
        MUL t.r t.a t.b                 | add r0 r0.g c0.a
        ADD photon.r t photon
        MAD p_lt.rg photon.r c2 c0.0r0
        (p) ADD tally.rg photon.a tally | (p.r) mov photon 0
        MAX photon.r photon 0           | (p.g) mov photon 0
        MIN photon.r photon c1
        MAD tally.b photon.a c0.g tally | mul photon photon c0.b

        .repeat 14
        TEX t.rg r0.ra s0
        TEX t.b photon.rb s1.r
        MAD t.g t 2 -1                  | ln2 t t.r              // direction, log2 of a random number
        MUL t.r t.a t.b                 | add r0 r0 c0.a         // length of the flight
        MAD photon.r t t.g photon
        MAD p_lt.rg photon.r c2 c0.0r0                            // out at the top? at the bottom?
        (p) ADD tally.rg photon.a tally | (p.r) mov photon 0
        MAX photon.r photon 0           | (p.g) mov photon 0
        MIN photon.r photon c1
        MAD tally.b photon.a c0.g tally | mul photon photon c0.b // what is absorbed at the collision
        .endrepeat

        TEX t.rg r0.ra s0
        TEX t.b photon.rb s1.r
        MAD t.g t 2 -1                  | ln2 t t.r
        MUL t.r t.a t.b
        MAD photon.r t t.g photon
        MAD p_lt.rg photon.r c2 c0.0r0
        (p) ADD tally.rg photon.a tally | (p.r) mov photon 0
        MOV o0.rg tally                 | (p.g) mov photon 0
        MAD o0.b photon.a c0.g tally    | mul o0 photon c0.b
        END
