//go:build amd64 || arm64

package work

import "github.com/bytedance/sonic"

// HaveSonic tells whether the rows of sonic are there: with a version of Go that
// it does not know, sonic is a wrapper of encoding/json.
const HaveSonic = sonic.APIKind == sonic.UseSonicJSON

func sonicDecode(frame []byte) []Entry {
	return sonicRows(DecodeEnvelope("sonic", frame, sonic.Unmarshal), checker("sonic.Valid", frame, sonic.Valid))
}

func sonicBatch(frame []byte) []Entry {
	return sonicRows(BatchEnvelopes("sonic", frame, sonic.Unmarshal), checker("sonic.Valid", frame, sonic.Valid))
}

func sonicEncode(raw []byte) []Entry {
	return sonicRows(EncodeEnvelope("sonic", raw, sonic.Marshal))
}

func sonicRows(rows ...Entry) []Entry {
	if !HaveSonic {
		return nil
	}
	return rows
}
