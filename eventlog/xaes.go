package eventlog

import (
	"crypto/aes"
	"crypto/cipher"
)

// xaes is XAES-256-GCM (C2SP): AES-256-GCM under a key that is derived from the
// first half of a nonce of 24 bytes. With the 12 bytes of plain GCM a key may
// seal 2³² texts before random nonces are too likely to meet, which a busy
// server reaches within weeks; this one seals 2⁸⁰.
type xaes struct {
	block cipher.Block        // under the key
	k1    [aes.BlockSize]byte // the subkey of CMAC
}

const (
	sealerKey = 32
	xaesNonce = 24
	xaesTag   = 16
)

// newXAES makes the cipher of a key of 32 bytes.
func newXAES(key []byte) (*xaes, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	x := &xaes{block: block}
	block.Encrypt(x.k1[:], x.k1[:])
	carry := x.k1[0] >> 7
	for i := range len(x.k1) - 1 {
		x.k1[i] = x.k1[i]<<1 | x.k1[i+1]>>7
	}
	x.k1[len(x.k1)-1] = x.k1[len(x.k1)-1]<<1 ^ carry*0x87
	return x, nil
}

// gcm returns the cipher for a nonce of 24 bytes; its own nonce is the second
// half of it.
func (x *xaes) gcm(nonce []byte) cipher.AEAD {
	var key [sealerKey]byte
	for i := range 2 {
		half := key[i*aes.BlockSize:][:aes.BlockSize]
		half[1], half[2] = byte(i+1), 'X'
		copy(half[4:], nonce[:xaesNonce/2])
		for j := range half {
			half[j] ^= x.k1[j]
		}
		x.block.Encrypt(half, half)
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has the right block size
	}
	return aead
}

func (x *xaes) seal(dst, nonce, text, extra []byte) []byte {
	return x.gcm(nonce).Seal(dst, nonce[xaesNonce/2:], text, extra)
}

func (x *xaes) open(dst, nonce, sealed, extra []byte) ([]byte, error) {
	return x.gcm(nonce).Open(dst, nonce[xaesNonce/2:], sealed, extra)
}
