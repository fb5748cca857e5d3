package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	for name, era := range eras {
		require.NoError(t, run(t.Context(), era, nil), name)
	}
	require.ErrorContains(t, run(t.Context(), eras["auto"], []string{"/no/such/command"}), "/no/such/command")
}
