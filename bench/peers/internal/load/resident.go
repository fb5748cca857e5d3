package load

import (
	"fmt"
	"os"
	"strings"
)

// resident is the memory of a process that is in RAM, in bytes: what Linux calls
// VmRSS.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	var kibibytes int64
	_, line, _ := strings.Cut(string(text), "\nVmRSS:")
	if _, err := fmt.Sscan(line, &kibibytes); err != nil {
		return 0, fmt.Errorf("load: resident memory: %w", err)
	}
	return kibibytes << 10, nil
}
