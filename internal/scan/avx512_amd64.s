//go:build !purego

#include "textflag.h"

DATA iota<>+0(SB)/8, $0x0706050403020100
DATA iota<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA iota<>+16(SB)/8, $0x1716151413121110
DATA iota<>+24(SB)/8, $0x1f1e1d1c1b1a1918
DATA iota<>+32(SB)/8, $0x2726252423222120
DATA iota<>+40(SB)/8, $0x2f2e2d2c2b2a2928
DATA iota<>+48(SB)/8, $0x3736353433323130
DATA iota<>+56(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL iota<>(SB), RODATA|NOPTR, $64

// func indexAVX512(text *byte, n int, at uint32, s *indexState, out *uint32) int
TEXT ·indexAVX512(SB), NOSPLIT, $0-48
	MOVQ text+0(FP), SI
	MOVQ n+8(FP), CX
	MOVL at+16(FP), DX
	MOVQ s+24(FP), BX
	MOVQ out+32(FP), DI
	MOVQ 0(BX), R8            // inString: 0 or ^0
	MOVQ 8(BX), R9            // escaped: 0 or 1
	MOVQ 16(BX), R10          // scalar: 0 or 1
	XORQ R15, R15             // control characters in strings
	XORQ R14, R14             // line breaks outside of them

	VBROADCASTI32X4 ·ops(SB), Z16
	VBROADCASTI32X4 ·spaces(SB), Z17
	MOVL $0x20202020, AX
	VPBROADCASTD AX, Z18
	MOVL $0x22222222, AX
	VPBROADCASTD AX, Z19
	MOVL $0x5c5c5c5c, AX
	VPBROADCASTD AX, Z20
	VMOVDQU64 iota<>(SB), Z21
	VPTERNLOGD $0xff, Z22, Z22, Z22
	VPXORQ Z23, Z23, Z23      // or of all bytes
	MOVL $0x0a0a0a0a, AX
	VPBROADCASTD AX, Z25
	MOVL $0x0d0d0d0d, AX
	VPBROADCASTD AX, Z26

loop512:
	CMPQ CX, $64
	JB tail512
	VMOVDQU64 (SI), Z0
	SUBQ $64, CX

block512:
	VPORQ Z0, Z23, Z23
	VPORQ Z0, Z18, Z1
	VPSHUFB Z0, Z16, Z2
	VPSHUFB Z0, Z17, Z3
	VPCMPEQB Z0, Z19, K1      // quotes
	VPCMPEQB Z0, Z20, K2      // backslashes
	VPCMPEQB Z1, Z2, K3       // operators
	VPCMPEQB Z0, Z3, K4       // white space
	VPCMPUB $1, Z18, Z0, K5   // below 0x20
	KMOVQ K1, AX
	KMOVQ K2, R11
	MOVQ R11, R12
	ORQ R9, R12
	JNZ escapes512

quotes512:
	// AX = quotes that begin or end a string
	VMOVQ AX, X4
	VPCLMULQDQ $0, X22, X4, X4
	VMOVQ X4, R12
	XORQ R8, R12              // in a string, its opening quote included
	MOVQ R12, R8
	SARQ $63, R8
	ANDQ R12, R11             // backslashes in strings
	KMOVQ K5, R13
	TESTQ R13, R13
	JNZ control512

classes512:
	KMOVQ K3, R13
	KMOVQ K4, BX
	ORQ R13, BX               // operators and white space
	ORQ R12, BX
	ORQ AX, BX                // all but scalars
	ANDNQ R13, R12, R13       // operators outside of strings
	ORQ AX, R13
	ORQ R11, R13
	NOTQ BX                   // scalars
	LEAQ (R10)(BX*2), R12     // shifted by one, the last of the block before first
	MOVQ BX, R10
	SHRQ $63, R10
	ANDNQ BX, R12, BX         // where a scalar begins
	ORQ BX, R13               // tokens

	POPCNTQ R13, R12
	KMOVQ R13, K6
	VPCOMPRESSB.Z Z21, K6, Z5
	VPBROADCASTD DX, Z6
	VPMOVZXBD X5, Z7
	VPADDD Z6, Z7, Z7
	VMOVDQU32 Z7, (DI)
	CMPQ R12, $16
	JBE stored512
	VEXTRACTI32X4 $1, Z5, X7
	VPMOVZXBD X7, Z7
	VPADDD Z6, Z7, Z7
	VMOVDQU32 Z7, 64(DI)
	CMPQ R12, $32
	JBE stored512
	VEXTRACTI32X4 $2, Z5, X7
	VPMOVZXBD X7, Z7
	VPADDD Z6, Z7, Z7
	VMOVDQU32 Z7, 128(DI)
	VEXTRACTI32X4 $3, Z5, X7
	VPMOVZXBD X7, Z7
	VPADDD Z6, Z7, Z7
	VMOVDQU32 Z7, 192(DI)

stored512:
	LEAQ (DI)(R12*4), DI
	ADDQ $64, SI
	ADDL $64, DX
	TESTQ CX, CX
	JNZ loop512

	MOVQ s+24(FP), BX
	MOVQ R8, 0(BX)
	MOVQ R9, 8(BX)
	MOVQ R10, 16(BX)
	ORQ R15, 24(BX)
	ORQ R14, 32(BX)
	VPMOVB2M Z23, K1
	KMOVQ K1, AX
	ORQ AX, 40(BX)
	VZEROUPPER
	SUBQ out+32(FP), DI
	SHRQ $2, DI
	MOVQ DI, ret+40(FP)
	RET

tail512:
	// Spaces but for the bytes there are; the mask keeps the load off the rest.
	MOVQ $-1, AX
	BZHIQ CX, AX, AX
	KMOVQ AX, K7
	VMOVDQA64 Z18, Z0
	VMOVDQU8 (SI), K7, Z0
	XORL CX, CX
	JMP block512

escapes512:
	// R11 = backslashes, R9 = 1 if the first byte is escaped. A backslash at
	// an odd place of its run escapes what follows it.
	MOVQ R9, R12
	ANDNQ R11, R12, R12       // those that may escape
	LEAQ (R12)(R12*1), R13
	MOVQ $0xaaaaaaaaaaaaaaaa, BX
	ORQ BX, R13
	SUBQ R12, R13
	XORQ BX, R13              // escaping backslashes and what they escape
	MOVQ R11, R12
	ORQ R9, R12
	XORQ R13, R12             // escaped bytes
	ANDNQ AX, R12, AX
	ANDQ R11, R13
	MOVQ R13, R9
	SHRQ $63, R9
	JMP quotes512

control512:
	// R13 = bytes below 0x20: refused in strings
	ANDQ R12, R13
	ORQ R13, R15
	VPCMPEQB Z0, Z25, K1
	VPCMPEQB Z0, Z26, K2
	KORQ K1, K2, K1
	KMOVQ K1, R13
	ANDNQ R13, R12, R13
	ORQ R13, R14
	JMP classes512
