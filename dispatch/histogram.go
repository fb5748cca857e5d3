package dispatch

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Times are counted in buckets that grow by a quarter of a power of two: what a
// bucket says of a time is right to a fourth of it. The first holds what is
// shorter than histogramFloor, the last what is longer than a minute.
const (
	histogramFloor   = 1 << 10 // nanoseconds
	histogramSteps   = 4       // buckets from one power of two to the next
	histogramPowers  = 26      // up to 1<<36 ns, 69 seconds
	histogramBuckets = 2 + histogramPowers*histogramSteps
)

// histogram counts durations. All of it may be used concurrently.
type histogram struct {
	sum     atomic.Int64
	most    atomic.Int64
	buckets [histogramBuckets]atomic.Uint64
}

func (h *histogram) add(d time.Duration) {
	h.buckets[bucketOf(d)].Add(1)
	h.sum.Add(int64(d))
	for {
		most := h.most.Load()
		if int64(d) <= most || h.most.CompareAndSwap(most, int64(d)) {
			return
		}
	}
}

// bucketOf returns the number of the bucket that d is counted in.
func bucketOf(d time.Duration) int {
	if d < histogramFloor {
		return 0
	}
	power := bits.Len64(uint64(d)) - 1
	step := int(uint64(d)>>(power-2)) & (histogramSteps - 1)
	return min(1+(power-10)*histogramSteps+step, histogramBuckets-1)
}

// bucketEnd returns the first duration that is too long for a bucket, 0 for the
// last, which holds everything else.
func bucketEnd(i int) time.Duration {
	if i == histogramBuckets-1 {
		return 0
	}
	power, step := i/histogramSteps, i%histogramSteps
	return time.Duration(histogramFloor/histogramSteps*(histogramSteps+step)) << power
}

// Histogram is how often something took how long. What happened while it was
// taken may be in one part of it and not yet in another.
type Histogram struct {
	// Count is how many there were, Sum their total and Max the longest, in
	// nanoseconds.
	Count uint64        `json:"count"`
	Sum   time.Duration `json:"sum_ns"`
	Max   time.Duration `json:"max_ns"`
	// Buckets are those that are not empty, the shortest first.
	Buckets []Bucket `json:"buckets,omitempty"`
}

// Bucket is how many took less than Below, and not less than what the bucket
// before it ends with: buckets end four times from one power of two nanoseconds
// to the next, from 1,024 ns to 68.7 s. What took longer is in one whose Below is
// 0.
type Bucket struct {
	Below time.Duration `json:"below_ns"`
	Count uint64        `json:"count"`
}

func (h *histogram) snapshot() Histogram {
	s := Histogram{Sum: time.Duration(h.sum.Load()), Max: time.Duration(h.most.Load())}
	for i := range h.buckets {
		if n := h.buckets[i].Load(); n > 0 {
			s.Count += n
			s.Buckets = append(s.Buckets, Bucket{bucketEnd(i), n})
		}
	}
	return s
}

// Quantile returns a duration that the fraction q of all did not exceed, with
// the accuracy of the buckets: Quantile(0.99) is what all but a hundredth kept.
// It returns 0 where nothing was counted.
func (h Histogram) Quantile(q float64) time.Duration {
	rank := uint64(q * float64(h.Count))
	for _, b := range h.Buckets {
		if rank < b.Count {
			if b.Below == 0 {
				break
			}
			return min(b.Below, h.Max)
		}
		rank -= b.Count
	}
	return h.Max
}
