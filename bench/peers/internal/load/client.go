package load

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Client runs a client that makes calls and prints what they cost: their number,
// nanoseconds of processor time and of time, allocations and their bytes.
func Client(ctx context.Context, argv []string, limit time.Duration) (WebResult, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return WebResult{}, fmt.Errorf("load: client: %w", err)
	}
	var calls, cpu, took, mallocs, bytes int64
	if _, err := fmt.Sscan(string(out), &calls, &cpu, &took, &mallocs, &bytes); err != nil || calls <= 0 || took <= 0 {
		return WebResult{}, fmt.Errorf("load: client printed %.200q: %w", out, err)
	}
	n := float64(calls)
	return WebResult{
		Throughput{int(calls), n / time.Duration(took).Seconds(), time.Duration(cpu / calls)},
		float64(mallocs) / n, float64(bytes) / n,
	}, nil
}
