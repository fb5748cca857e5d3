//go:build !linux && !darwin && !windows

package stdio

import (
	"errors"
	"io"
)

// std does not exist here.
type std struct{ io.ReadWriteCloser }

func takeStd() (*std, error) {
	return nil, errors.New("stdio: Claim is not supported on this platform")
}

func (s *std) stopReading() {}
