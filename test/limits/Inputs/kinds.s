	.text
kinds:
	vfmadd231ps %zmm1, %zmm2, %zmm3
	vmulsd (%rdi), %xmm1, %xmm2
	vaddpd 8(%rsp), %ymm1, %ymm2
	vmovaps %ymm2, 8(%rsp)
	vdivss %xmm0, %xmm1, %xmm2
	vpternlogd $150, %zmm0, %zmm1, %zmm2
	vxorps %xmm0, %xmm0, %xmm0
	vshufps $27, %ymm0, %ymm1, %ymm2
	vpermt2ps %zmm0, %zmm1, %zmm2
	vcmpltps %zmm0, %zmm1, %k1
	vmovaps %zmm0, %zmm1{%k1}
	vmovups (%rax,%rcx,4), %zmm1{%k1}{z}
	vpgatherdd (%rax,%zmm1,4), %zmm0{%k2}
	vbroadcastss 4(%rdi), %zmm0
	vbroadcastss %xmm1, %zmm0
	addl $1, (%rdi)
	cmovbl %eax, %ebx
	leaq 8(%rax,%rbx,2), %rcx
	imulq %rax, %rbx
	mulxq %rcx, %rsi, %rdi
	vfuture %zmm0, %zmm1
	jne .Lend
	call cosf@PLT
.Lend:
	ret
	.section .rodata
	.long 1
