//go:build amd64 || arm64

package bench

import "github.com/bytedance/sonic"

// haveSonic tells whether the rows of sonic are there: with a version of Go that
// it does not know, sonic is a wrapper of encoding/json.
const haveSonic = sonic.APIKind == sonic.UseSonicJSON

func sonicDecode(frame []byte) []entry {
	return sonicRows(decodeEnvelope("sonic", frame, sonic.Unmarshal), checker("sonic.Valid", frame, sonic.Valid))
}

func sonicBatch(frame []byte) []entry {
	return sonicRows(batchEnvelopes("sonic", frame, sonic.Unmarshal), checker("sonic.Valid", frame, sonic.Valid))
}

func sonicEncode(raw []byte) []entry {
	return sonicRows(encodeEnvelope("sonic", raw, sonic.Marshal))
}

func sonicRows(rows ...entry) []entry {
	if !haveSonic {
		return nil
	}
	return rows
}
