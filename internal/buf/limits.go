package buf

const (
	// MaxKept is the largest memory that is held for the next holder whatever
	// traffic there was before; what is larger is held where it is usual.
	MaxKept = 16 << 10

	// MaxPooled is the largest memory that is put back into a pool. Pools keep
	// what they are given for at least one garbage collection: without this bound
	// one burst of huge messages would stay resident long after it has passed. A
	// text of 1 MiB with the message around it, and the quarter by which append
	// overshoots, stays below.
	MaxPooled = 1<<20 + 1<<18

	// BlockSize is the size of an ordinary read block.
	BlockSize = 64 << 10

	// MaxBlock is the largest block that is put back into a pool: one that holds
	// a message around a text of 1 MiB.
	MaxBlock = 1<<20 + BlockSize
)
