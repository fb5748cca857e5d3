//go:build !purego

#include "textflag.h"

// func indexAVX2(text *byte, blocks int, at uint32, s *indexState, out *uint32) int
TEXT ·indexAVX2(SB), NOSPLIT, $0-48
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVL at+16(FP), DX
	MOVQ s+24(FP), BX
	MOVQ out+32(FP), DI
	MOVQ 0(BX), R8            // inString: 0 or ^0
	MOVQ 8(BX), R9            // escaped: 0 or 1
	MOVQ 16(BX), R10          // scalar: 0 or 1
	XORQ R15, R15             // bytes that are not ASCII

	VBROADCASTI128 ·ops(SB), Y8
	VBROADCASTI128 ·spaces(SB), Y9
	MOVL $0x20202020, AX
	VMOVD AX, X10
	VPBROADCASTD X10, Y10
	MOVL $0x22222222, AX
	VMOVD AX, X11
	VPBROADCASTD X11, Y11
	MOVL $0x5c5c5c5c, AX
	VMOVD AX, X12
	VPBROADCASTD X12, Y12
	MOVL $0x1f1f1f1f, AX
	VMOVD AX, X13
	VPBROADCASTD X13, Y13
	VPCMPEQD X14, X14, X14    // all ones

loop256:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

	VPMOVMSKB Y0, AX
	VPMOVMSKB Y1, BX
	ORQ AX, R15
	ORQ BX, R15

	VPCMPEQB Y0, Y11, Y2      // quotes
	VPCMPEQB Y1, Y11, Y3
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, AX
	VPCMPEQB Y0, Y12, Y2      // backslashes
	VPCMPEQB Y1, Y12, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, R11
	MOVQ R11, R12
	ORQ R9, R12
	JNZ escapes256

quotes256:
	// AX = quotes that begin or end a string
	VMOVQ AX, X4
	VPCLMULQDQ $0, X14, X4, X4
	VMOVQ X4, R12
	XORQ R8, R12              // in a string, its opening quote included
	MOVQ R12, R8
	SARQ $63, R8
	ANDQ R12, R11             // backslashes in strings

	VPMINUB Y0, Y13, Y2       // below 0x20: unchanged by a minimum with 0x1f
	VPMINUB Y1, Y13, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	VPOR Y2, Y3, Y4
	VPTEST Y4, Y4
	JNZ control256

classes256:
	VPOR Y0, Y10, Y2
	VPOR Y1, Y10, Y3
	VPSHUFB Y0, Y8, Y4
	VPSHUFB Y1, Y8, Y5
	VPCMPEQB Y2, Y4, Y2       // operators
	VPCMPEQB Y3, Y5, Y3
	VPMOVMSKB Y2, R13
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, R13
	VPSHUFB Y0, Y9, Y4
	VPSHUFB Y1, Y9, Y5
	VPCMPEQB Y0, Y4, Y4       // white space
	VPCMPEQB Y1, Y5, Y5
	VPMOVMSKB Y5, BX
	SHLQ $32, BX
	VPMOVMSKB Y4, R14
	ORQ R14, BX
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

	// Four tokens at a time; what is written beyond their number is garbage.
	POPCNTQ R13, R12
	MOVQ DI, R14
	LEAQ (DI)(R12*4), DI
	TESTQ R13, R13
	JZ stored256

store256:
	TZCNTQ R13, AX
	BLSRQ R13, R13
	ADDL DX, AX
	MOVL AX, (R14)
	TZCNTQ R13, BX
	BLSRQ R13, R13
	ADDL DX, BX
	MOVL BX, 4(R14)
	TZCNTQ R13, AX
	BLSRQ R13, R13
	ADDL DX, AX
	MOVL AX, 8(R14)
	TZCNTQ R13, BX
	BLSRQ R13, R13
	ADDL DX, BX
	MOVL BX, 12(R14)
	ADDQ $16, R14
	TESTQ R13, R13
	JNZ store256

stored256:
	ADDQ $64, SI
	ADDL $64, DX
	DECQ CX
	JNZ loop256

	MOVQ s+24(FP), BX
	MOVQ R8, 0(BX)
	MOVQ R9, 8(BX)
	MOVQ R10, 16(BX)
	ORQ R15, 40(BX)
	VZEROUPPER
	SUBQ out+32(FP), DI
	SHRQ $2, DI
	MOVQ DI, ret+40(FP)
	RET

escapes256:
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
	JMP quotes256

control256:
	// Bytes below 0x20: refused in strings; outside, line breaks are noted.
	VPMOVMSKB Y2, R13
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, R13
	ANDQ R12, R13
	MOVQ s+24(FP), R14
	ORQ R13, 24(R14)
	MOVL $0x0a0a0a0a, BX
	VMOVD BX, X6
	VPBROADCASTD X6, Y6
	MOVL $0x0d0d0d0d, BX
	VMOVD BX, X7
	VPBROADCASTD X7, Y7
	VPCMPEQB Y0, Y6, Y2
	VPCMPEQB Y1, Y6, Y3
	VPCMPEQB Y0, Y7, Y4
	VPCMPEQB Y1, Y7, Y5
	VPOR Y2, Y4, Y2
	VPOR Y3, Y5, Y3
	VPMOVMSKB Y2, R13
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, R13
	ANDNQ R13, R12, R13
	ORQ R13, 32(R14)
	JMP classes256
