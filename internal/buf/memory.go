package buf

import "github.com/valyala/bytebufferpool"

// MaxPooled is the largest memory that is put back into a pool. Pools keep what
// they are given for at least one garbage collection: without this bound one
// burst of huge messages would stay resident long after it has passed.
const MaxPooled = 1 << 20

// Blocks above BlockSize come in powers of two, each with its own pool, so that
// a pool never answers with memory that is too small.
const classes = 4 // 128 KiB, 256 KiB, 512 KiB, 1 MiB

var straddling = newPools(classes)

// newPools makes each pool a variable of its own: they need 64-bit alignment,
// which 32-bit platforms give to an allocation but not to elements of an array.
func newPools(n int) []*bytebufferpool.Pool {
	pools := make([]*bytebufferpool.Pool, n)
	for i := range pools {
		pools[i] = new(bytebufferpool.Pool)
	}
	return pools
}

// memory says where the bytes of a large block came from.
type memory struct {
	from *bytebufferpool.ByteBuffer
	pool *bytebufferpool.Pool // nil: too large to be put back
}

// takeMemory returns memory for a block larger than BlockSize. Up to MaxPooled
// the size is rounded up to that of its class.
func takeMemory(size int) (memory, []byte) {
	class, have := 0, 2*BlockSize
	for have < size && class < classes {
		class, have = class+1, 2*have
	}
	if class == classes {
		return memory{}, make([]byte, size)
	}
	m := memory{straddling[class].Get(), straddling[class]}
	if cap(m.from.B) < have {
		m.from.B = make([]byte, have)
	}
	return m, m.from.B[:have]
}

// put gives mem back. The pool calibrates itself on the length it is shown.
func (m memory) put(mem []byte) {
	if m.pool == nil {
		return
	}
	m.from.B = mem
	m.pool.Put(m.from)
}
