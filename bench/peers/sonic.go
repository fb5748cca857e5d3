//go:build amd64 || arm64

package peers

import "github.com/bytedance/sonic"

// haveSonic tells whether the rows of sonic are there: with a version of Go that
// it does not know, sonic is a wrapper of encoding/json.
const haveSonic = sonic.APIKind == sonic.UseSonicJSON

func sonicDecode(frame []byte) []Entry {
	return sonicRows(decodeEnvelope("sonic", frame, sonic.Unmarshal), checker("sonic.Valid", frame, sonic.Valid))
}

func sonicBatch(frame []byte) []Entry {
	return sonicRows(batchEnvelopes("sonic", frame, sonic.Unmarshal), checker("sonic.Valid", frame, sonic.Valid))
}

func sonicEncode(raw []byte) []Entry {
	return sonicRows(encodeEnvelope("sonic", raw, sonic.Marshal))
}

func sonicRows(rows ...Entry) []Entry {
	if !haveSonic {
		return nil
	}
	return rows
}
