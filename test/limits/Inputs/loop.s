# A loop of 1000 trips: two products that wait for each other, four lanes of sums that wait for none, a load of one number, a store,
# and a jump on flags that an instruction before a label has set. Then a loop whose sums wait for each other through memory, copies
# and sets of memory.
	.text
	.globl main
	.type main, @function
main:
	pushq %rbx
	movl $1000, %ecx
	movss one(%rip), %xmm0
	leaq numbers(%rip), %rdx
.Ltrip:
	mulss %xmm0, %xmm0
	mulss %xmm0, %xmm0
	movaps %xmm1, %xmm2
	addps %xmm3, %xmm2
	movss (%rdx), %xmm4
	movss %xmm4, 8(%rdx)
	subl $1, %ecx
.Lflags:
	jne .Ltrip
	movl $1000, %ecx
.Lsum:
	movss 8(%rdx), %xmm5
	addss %xmm0, %xmm5
	movss %xmm5, 8(%rdx)
	subl $1, %ecx
	jne .Lsum
	leaq from(%rip), %rsi
	leaq to(%rip), %rdi
	movl $4096, %edx
	call memcpy@PLT
	leaq to(%rip), %rdi
	xorl %esi, %esi
	movl $100, %edx
	call memset@PLT
	xorl %eax, %eax
	popq %rbx
	ret
	.section .rodata
one:	.float 1.0
	.bss
	.p2align 4
numbers:	.zero 64
from:	.zero 4096
to:	.zero 4096
	.section .note.GNU-stack,"",@progbits
