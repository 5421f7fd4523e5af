// The example of the paper's figure 2: two matrices multiplied element by element, plus a constant.
multadd:
  TEX r1 r0.rg s1
  // r1 = r0.r + (r0.g*s1.width) + s1.base
  TEX r0 r0.rg s0
  MAD o0 r1 r0 c0
  mad o0 r1 r0 c0
  END
