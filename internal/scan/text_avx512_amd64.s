//go:build !purego

#include "textflag.h"

// func textAVX512(text *byte, n int, s *textState) int
TEXT ·textAVX512(SB), NOSPLIT, $0-32
	MOVQ text+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	XORQ R8, R8               // bytes of the next block that must be hexadecimal digits
	XORQ R9, R9               // 1 if the next byte is escaped
	XORQ R10, R10             // 1 if the last byte was not ASCII
	XORQ DX, DX               // backslashes

	VBROADCASTI32X4 ·escapeLow(SB), Z16
	VBROADCASTI32X4 ·escapeHigh(SB), Z17
	MOVL $0x20202020, AX
	VPBROADCASTD AX, Z18
	MOVL $0x22222222, AX
	VPBROADCASTD AX, Z19
	MOVL $0x5c5c5c5c, AX
	VPBROADCASTD AX, Z20
	MOVL $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z21
	VBROADCASTI32X4 ·firstHigh(SB), Z22
	VBROADCASTI32X4 ·firstLow(SB), Z23
	VBROADCASTI32X4 ·secondHigh(SB), Z24
	KXNORQ K7, K7, K7         // the bytes of a block that there are

four512:
	// Text without anything special, 256 bytes at a time.
	CMPQ CX, $256
	JB one512
	VMOVDQU64 (SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	// Signed, a byte below 0x20 is a control character or not ASCII.
	VPMINSB Z0, Z1, Z4
	VPMINSB Z2, Z3, Z5
	VPMINSB Z4, Z5, Z4
	VPCMPB $1, Z18, Z4, K1
	VPCMPEQB Z0, Z19, K2
	VPCMPEQB Z1, Z19, K3
	VPCMPEQB Z2, Z19, K4
	VPCMPEQB Z3, Z19, K5
	KORQ K2, K3, K2
	KORQ K4, K5, K4
	KORQ K1, K2, K1
	VPCMPEQB Z0, Z20, K2
	VPCMPEQB Z1, Z20, K3
	VPCMPEQB Z2, Z20, K5
	VPCMPEQB Z3, Z20, K6
	KORQ K4, K1, K1
	KORQ K2, K3, K2
	KORQ K5, K6, K5
	KORQ K2, K5, K2
	KORTESTQ K1, K2
	JNZ one512
	ADDQ $256, SI
	SUBQ $256, CX
	JMP four512

one512:
	CMPQ CX, $64
	JB tail512
	VMOVDQU64 (SI), Z0
	SUBQ $64, CX

block512:
	VPCMPEQB Z0, Z19, K1
	VPCMPEQB Z0, Z20, K2
	VPCMPB $1, Z18, Z0, K3
	KMOVQ K1, AX              // quotes
	KMOVQ K2, R11             // backslashes
	KMOVQ K3, R12             // control characters and what is not ASCII
	MOVQ R8, R13
	ORQ R9, R13
	ORQ R11, R13
	JNZ escapes512

ends512:
	BLSMSKQ AX, R15           // the text up to and including its closing quote
	ANDQ R15, R12
	MOVQ R12, R13
	ORQ R10, R13
	JNZ others512

	TESTQ AX, AX
	JNZ closed512
	ADDQ $64, SI
	TESTQ CX, CX
	JZ open512
	MOVQ R8, R13
	ORQ R9, R13
	ORQ R11, R13
	JZ four512                // nothing at all: perhaps the next 256 bytes, too
	JMP one512

tail512:
	// Spaces but for the bytes there are; the mask keeps the load off the rest.
	TESTQ CX, CX
	JZ open512
	MOVQ $-1, AX
	BZHIQ CX, AX, AX
	KMOVQ AX, K7
	VMOVDQA64 Z18, Z0
	VMOVDQU8 (SI), K7, Z0
	XORL CX, CX
	JMP block512

escapes512:
	// A backslash at an odd place of its run escapes what follows it.
	MOVQ R9, R13
	ANDNQ R11, R13, R13       // those that may escape
	LEAQ (R13)(R13*1), R14
	MOVQ $0xaaaaaaaaaaaaaaaa, BX
	ORQ BX, R14
	SUBQ R13, R14
	XORQ BX, R14              // escaping backslashes and what they escape
	MOVQ R11, R13
	ORQ R9, R13
	XORQ R14, R13             // escaped bytes
	ANDNQ AX, R13, AX
	ANDQ R11, R14
	MOVQ R14, R9
	SHRQ $63, R9
	BLSMSKQ AX, R15
	ANDQ R15, R14
	ORQ R14, DX

	VPSRLW $4, Z0, Z1
	VPANDD Z21, Z1, Z1
	VPSHUFB Z1, Z17, Z1
	VPSHUFB Z0, Z16, Z2
	VPTESTMB Z1, Z2, K1
	KMOVQ K1, R14
	ANDNQ R13, R14, R14       // escaped, and must not be
	MOVL $0x75757575, BX
	VPBROADCASTD BX, Z1
	VPCMPEQB Z0, Z1, K2
	KMOVQ K2, BX
	ANDQ R13, BX              // the letter u of an escape
	MOVQ BX, R13
	ORQ R8, R13
	JNZ digits512

refuse512:
	ANDQ R15, R14
	JZ ends512

odd512:
	MOVQ $-1, AX
	JMP done512

digits512:
	// Four hexadecimal digits behind each bit of BX.
	MOVL $0x30303030, R13
	VPBROADCASTD R13, Z1
	VPSUBB Z1, Z0, Z1
	MOVL $0x09090909, R13
	VPBROADCASTD R13, Z2
	VPCMPUB $2, Z2, Z1, K1
	VPORQ Z18, Z0, Z1
	MOVL $0x61616161, R13
	VPBROADCASTD R13, Z2
	VPSUBB Z2, Z1, Z1
	MOVL $0x05050505, R13
	VPBROADCASTD R13, Z2
	VPCMPUB $2, Z2, Z1, K2
	KORQ K1, K2, K1
	LEAQ (BX)(BX*1), R13
	LEAQ (R13)(R13*1), R15
	ORQ R15, R13
	LEAQ (R13*4), R15
	ORQ R15, R13
	ORQ R8, R13               // must be digits
	KMOVQ K1, R15
	ANDNQ R13, R15, R13
	ORQ R13, R14
	SHRQ $60, BX              // what falls to the next block
	MOVQ BX, R8
	SHRQ $1, BX
	ORQ BX, R8
	MOVQ R8, BX
	SHRQ $2, BX
	ORQ BX, R8
	BLSMSKQ AX, R15
	JMP refuse512

others512:
	VPMOVB2M Z0, K3
	KMOVQ K3, R13
	ANDNQ R12, R13, R12
	TESTQ R12, R12
	JNZ odd512                // a control character

	// Whether two neighbours may stand beside each other is looked up by three
	// of their nibbles: a bit that is set in all three tables is a fault. The
	// third and the fourth byte of a character are the ones that two
	// continuation bytes in a row are right for.
	VMOVDQU8.Z -1(SI), K7, Z1
	VMOVDQU8.Z -2(SI), K7, Z2
	VMOVDQU8.Z -3(SI), K7, Z3
	VPSRLW $4, Z1, Z4
	VPANDD Z21, Z4, Z4
	VPSHUFB Z4, Z22, Z4
	VPANDD Z21, Z1, Z5
	VPSHUFB Z5, Z23, Z5
	VPSRLW $4, Z0, Z6
	VPANDD Z21, Z6, Z6
	VPSHUFB Z6, Z24, Z6
	VPTERNLOGD $0x80, Z4, Z5, Z6
	MOVL $0x60606060, BX
	VPBROADCASTD BX, Z4
	VPSUBUSB Z4, Z2, Z2       // top bit: from 0xe0 on
	MOVL $0x70707070, BX
	VPBROADCASTD BX, Z4
	VPSUBUSB Z4, Z3, Z3       // top bit: from 0xf0 on
	VPORQ Z2, Z3, Z2
	MOVL $0x80808080, BX
	VPBROADCASTD BX, Z4
	VPTERNLOGD $0x78, Z4, Z2, Z6 // Z6 ^ Z2&Z4
	VPTESTMB Z6, Z6, K3
	KMOVQ K3, R14
	ANDQ R15, R14
	JNZ odd512
	MOVQ R13, R10
	SHRQ $63, R10

	TESTQ AX, AX
	JNZ closed512
	ADDQ $64, SI
	TESTQ CX, CX
	JNZ one512

open512:
	MOVQ n+8(FP), AX
	JMP done512

closed512:
	TZCNTQ AX, AX
	ADDQ SI, AX
	SUBQ DI, AX

done512:
	VZEROUPPER
	MOVQ s+16(FP), BX
	ORQ DX, 0(BX)
	MOVQ AX, ret+24(FP)
	RET
