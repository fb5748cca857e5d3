//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func indexBlocks(text *byte, blocks int, x *index)
//
// SI text, DI word of each plane, R12 bits used of it, R13 block's tokens, CX end
// of looks, R8 to R10 what is carried from block to block, Y15 or of all bytes.
TEXT ·indexBlocks(SB), NOSPLIT, $24-24
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), AX
	MOVQ x+16(FP), BX
	SHLQ $6, AX
	ADDQ SI, AX
	MOVQ AX, end-8(SP)
	MOVQ index_blocks(BX), AX
	LEAQ index_places(BX)(AX*8), R13
	SHLQ $6, AX
	MOVQ AX, at-16(SP)
	MOVQ index_looked(BX), AX
	LEAQ index_looks(BX)(AX*2), CX
	MOVQ index_inString(BX), R8
	MOVQ index_escaped(BX), R9
	MOVQ index_scalar(BX), R10
	MOVQ index_n(BX), R12
	MOVQ R12, AX
	SHRQ $6, AX
	LEAQ index_low(BX)(AX*8), DI
	ANDL $63, R12

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
	VPXOR X15, X15, X15

loop:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VPOR Y0, Y1, Y2
	VPOR Y2, Y15, Y15

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
	MOVQ R11, DX
	ORQ R9, DX
	JNZ escapes

quotes:
	// AX = quotes that begin or end a string, R11 = the u of escapes
	VMOVQ AX, X4
	VPCLMULQDQ $0, X14, X4, X4
	VMOVQ X4, DX
	XORQ R8, DX               // in a string, its opening quote included
	MOVQ DX, R8
	SARQ $63, R8
	MOVQ R11, looks-24(SP)

	VPMINUB Y0, Y13, Y2       // below 0x20: unchanged by a minimum with 0x1f
	VPMINUB Y1, Y13, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	VPOR Y2, Y3, Y4
	VPTEST Y4, Y4
	JNZ control

classes:
	MOVQ R8, BX
	NOTQ BX
	ORQ AX, BX
	JZ inside                 // of a string, from end to end
	VPOR Y0, Y10, Y2
	VPOR Y1, Y10, Y3
	VPSHUFB Y0, Y8, Y4
	VPSHUFB Y1, Y8, Y5
	VPCMPEQB Y2, Y4, Y2       // operators
	VPCMPEQB Y3, Y5, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, R11
	VPSHUFB Y0, Y9, Y4
	VPSHUFB Y1, Y9, Y5
	VPCMPEQB Y0, Y4, Y4       // white space
	VPCMPEQB Y1, Y5, Y5
	VPMOVMSKB Y5, BX
	SHLQ $32, BX
	VPMOVMSKB Y4, R14
	ORQ R14, BX
	ORQ R11, BX
	ORQ DX, BX
	ORQ AX, BX
	NOTQ BX                   // numbers and literals
	LEAQ (R10)(BX*2), R14     // shifted by one, the last byte of the block before first
	MOVQ BX, R10
	SHRQ $63, R10
	ANDNQ BX, R14, BX         // where one begins
	ANDNQ R11, DX, R11        // operators outside of strings
	ANDQ DX, AX               // quotes that begin a string
	MOVQ R11, R14
	ORQ BX, R14
	ORQ AX, R14               // tokens
	MOVQ R14, (R13)
	ORQ BX, looks-24(SP)

	// Three bits of each byte, as planes of the tokens among them.
	VPSLLW $7, Y0, Y2
	VPSLLW $7, Y1, Y3
	VPSLLW $6, Y0, Y4
	VPSLLW $6, Y1, Y5
	VPMOVMSKB Y2, DX
	VPMOVMSKB Y3, R15
	SHLQ $32, R15
	ORQ R15, DX
	VPMOVMSKB Y4, AX
	VPMOVMSKB Y5, R15
	SHLQ $32, R15
	ORQ R15, AX
	ANDNQ DX, BX, DX          // none of them of numbers and literals
	ANDNQ AX, BX, AX
	VPSLLW $2, Y0, Y2
	VPSLLW $2, Y1, Y3
	VPMOVMSKB Y2, BX
	VPMOVMSKB Y3, R15
	SHLQ $32, R15
	ORQ R15, BX
	ANDQ BX, R11              // the last one of operators only

look:
	// Where a number or literal begins, and the u of escapes. What is written
	// beyond their number is garbage.
	MOVQ looks-24(SP), R15
	TZCNTQ R15, BX
	ADDL at-16(SP), BX
	MOVW BX, (CX)
	BLSRQ R15, R15
	TZCNTQ R15, BX
	ADDL at-16(SP), BX
	MOVW BX, 2(CX)
	BLSRQ R15, R15
	JNZ many
	POPCNTQ looks-24(SP), BX
	LEAQ (CX)(BX*2), CX

looked:
	PEXTQ R14, DX, DX
	PEXTQ R14, AX, AX
	PEXTQ R14, R11, R11
	SHLXQ R12, DX, BX
	ORQ BX, 0(DI)
	SHLXQ R12, AX, BX
	ORQ BX, (index_mid-index_low)(DI)
	SHLXQ R12, R11, BX
	ORQ BX, (index_high-index_low)(DI)
	POPCNTQ R14, R14
	ADDQ R14, R12
	CMPQ R12, $64
	JCC full

next:
	ADDQ $64, SI
	ADDL $64, at-16(SP)
	ADDQ $8, R13
	CMPQ SI, end-8(SP)
	JNE loop

	MOVQ x+16(FP), BX
	MOVQ R8, index_inString(BX)
	MOVQ R9, index_escaped(BX)
	MOVQ R10, index_scalar(BX)
	VPMOVMSKB Y15, AX
	ORQ AX, index_notASCII(BX)
	VZEROUPPER
	MOVQ at-16(SP), AX
	SHRQ $6, AX
	MOVQ AX, index_blocks(BX)
	SUBQ BX, CX
	SUBQ $index_looks, CX
	SHRQ $1, CX
	MOVQ CX, index_looked(BX)
	SUBQ BX, DI
	SUBQ $index_low, DI
	LEAQ (R12)(DI*8), DI
	MOVQ DI, index_n(BX)
	RET

inside:
	MOVQ AX, (R13)            // no tokens, and R10 is 0 as it was
	CMPQ looks-24(SP), $0
	JEQ next
	XORL DX, DX
	XORL R11, R11
	XORL R14, R14
	JMP look

many:
	ADDQ $4, CX

more:
	TZCNTQ R15, BX
	ADDL at-16(SP), BX
	MOVW BX, (CX)
	ADDQ $2, CX
	BLSRQ R15, R15
	JNZ more
	JMP looked

full:
	// What did not fit begins the next word of each plane.
	SUBQ R14, R12
	NOTQ R12                  // 63 minus the bits that were used, as a shift counts
	SHRQ $1, DX
	SHRQ $1, AX
	SHRQ $1, R11
	SHRXQ R12, DX, DX
	SHRXQ R12, AX, AX
	SHRXQ R12, R11, R11
	ADDQ $8, DI
	MOVQ DX, 0(DI)
	MOVQ AX, (index_mid-index_low)(DI)
	MOVQ R11, (index_high-index_low)(DI)
	NOTQ R12
	ADDQ R14, R12
	ANDL $63, R12
	JMP next

escapes:
	// R11 = backslashes, R9 = 1 if the first byte is escaped. A backslash at
	// an odd place of its run escapes what follows it.
	MOVQ R9, DX
	ANDNQ R11, DX, DX         // those that may escape
	LEAQ (DX)(DX*1), R14
	MOVQ $0xaaaaaaaaaaaaaaaa, BX
	ORQ BX, R14
	SUBQ DX, R14
	XORQ BX, R14              // escaping backslashes and what they escape
	MOVQ R11, DX
	ORQ R9, DX
	XORQ R14, DX              // escaped bytes
	ANDNQ AX, DX, AX
	ANDQ R14, R11             // escaping backslashes
	MOVQ R11, R9
	SHRQ $63, R9

	// What may be escaped is told by two nibbles, as in the kernel of text.
	MOVL $0x0f0f0f0f, BX
	VMOVD BX, X4
	VPBROADCASTD X4, Y4
	VBROADCASTI128 ·escapeLow(SB), Y2
	VPSHUFB Y0, Y2, Y5
	VPSHUFB Y1, Y2, Y6
	VBROADCASTI128 ·escapeHigh(SB), Y2
	VPSRLW $4, Y0, Y3
	VPAND Y3, Y4, Y3
	VPSHUFB Y3, Y2, Y3
	VPAND Y3, Y5, Y5
	VPSRLW $4, Y1, Y3
	VPAND Y3, Y4, Y3
	VPSHUFB Y3, Y2, Y3
	VPAND Y3, Y6, Y6
	VPXOR X2, X2, X2
	VPCMPEQB Y5, Y2, Y5       // what may not
	VPCMPEQB Y6, Y2, Y6
	VPMOVMSKB Y5, R14
	VPMOVMSKB Y6, BX
	SHLQ $32, BX
	ORQ BX, R14
	ANDQ DX, R14
	MOVQ x+16(FP), BX
	ORQ R14, index_wrong(BX)
	MOVL $0x75757575, BX      // u
	VMOVD BX, X4
	VPBROADCASTD X4, Y4
	VPCMPEQB Y0, Y4, Y5
	VPCMPEQB Y1, Y4, Y6
	VPMOVMSKB Y5, R11
	VPMOVMSKB Y6, BX
	SHLQ $32, BX
	ORQ BX, R11
	ANDQ DX, R11
	JMP quotes

control:
	// Bytes below 0x20: only white space is right, and that outside of strings,
	// where line breaks are noted.
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, R11
	VPSHUFB Y0, Y9, Y4
	VPSHUFB Y1, Y9, Y5
	VPCMPEQB Y0, Y4, Y4
	VPCMPEQB Y1, Y5, Y5
	VPMOVMSKB Y4, R14
	VPMOVMSKB Y5, BX
	SHLQ $32, BX
	ORQ BX, R14
	ANDNQ R14, DX, R14
	ANDNQ R11, R14, R11
	MOVQ x+16(FP), R14
	ORQ R11, index_wrong(R14)
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
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, BX
	SHLQ $32, BX
	ORQ BX, R11
	ANDNQ R11, DX, R11
	ORQ R11, index_breaks(R14)
	JMP classes
