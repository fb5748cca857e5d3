//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func nest(order *grammar, low, mid, high uint64) (objects uint64)
TEXT ·nest(SB), NOSPLIT, $0-40
	MOVQ order+0(FP), DI
	MOVQ low+8(FP), R8
	MOVQ mid+16(FP), R9
	MOVQ high+24(FP), R10
	MOVQ grammar_kinds(DI), AX
	MOVQ AX, R12
	ANDL $1, R12              // in an object before
	XORQ DX, DX               // bit 0: a bracket that closes another kind
	POPCNTQ R8, CX
	JZ none
	MOVQ CX, R13
	PEXTQ R8, R9, R9          // bit 0: begins a level
	PEXTQ R8, R10, R10        // bit 0: is a brace

loop:
	MOVQ AX, BX
	XORQ R10, BX
	ANDNQ BX, R9, BX
	ORQ BX, DX
	MOVL R10, SI
	ANDL $1, SI
	LEAQ (SI)(AX*2), SI       // kinds with one more
	SHRQ $1, AX               // kinds with one less
	SHRQ $1, R10
	SHRQ $1, R9
	CMOVQCS SI, AX
	MOVQ AX, BX
	SHRQ $1, BX
	RCRQ $1, R11              // in an object behind each bracket, from the top
	DECQ CX
	JNZ loop

	NEGQ R13
	SHRXQ R13, R11, R11

none:
	// From bracket to bracket, then all tokens between them.
	LEAQ (R12)(R11*2), BX
	XORQ R11, BX
	PDEPQ R8, BX, BX
	VMOVQ BX, X0
	VPCMPEQD X1, X1, X1
	VPCLMULQDQ $0, X1, X0, X0
	VMOVQ X0, BX
	NEGQ R12
	XORQ R12, BX
	MOVQ BX, objects+32(FP)
	MOVQ AX, grammar_kinds(DI)
	ANDL $1, DX
	ORQ DX, grammar_wrong(DI)
	RET
