package fuzz_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The models read JSON with encoding/json alone. What it does not see is
// checked here: UTF-8, depth, and how often a name occurs.

const white = " \t\r\n"

// acceptable reports whether text is one JSON value in UTF-8, white space
// around it, nested at most maxDepth deep.
func acceptable(text []byte, maxDepth int) bool {
	return json.Valid(text) && utf8.Valid(text) && depth(text) <= maxDepth
}

// depth returns how deep valid JSON nests.
func depth(text []byte) (deepest int) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for now := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			now++
			deepest = max(deepest, now)
		case json.Delim('}'), json.Delim(']'):
			now--
		}
	}
}

// member is a member of an object: its name with escapes resolved and as it
// stands, its value as it stands.
type member struct {
	name       string
	raw, value []byte
}

// members returns the members of an object in order; none of anything else.
func members(text []byte) (all []member) {
	if len(text) == 0 || text[0] != '{' {
		return nil
	}
	for dec := inside(text); dec.More(); {
		behind := dec.InputOffset()
		name, err := dec.Token()
		if err != nil {
			panic(err) // the caller knows that text is valid
		}
		raw := bytes.TrimLeft(text[behind:dec.InputOffset()], white+",")
		all = append(all, member{name.(string), raw, next(dec)})
	}
	return all
}

// elements returns the elements of an array in order; none of anything else.
func elements(text []byte) (all [][]byte) {
	if len(text) == 0 || text[0] != '[' {
		return nil
	}
	for dec := inside(text); dec.More(); {
		all = append(all, next(dec))
	}
	return all
}

func inside(text []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		panic(err)
	}
	return dec
}

func next(dec *json.Decoder) []byte {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		panic(err)
	}
	return raw
}

// text returns what a JSON string says, with half a surrogate pair as U+FFFD.
func text(token []byte) string {
	var s string
	if err := json.Unmarshal(token, &s); err != nil {
		panic(err)
	}
	return s
}

var (
	unicodeEscapes  = regexp.MustCompile(`(?:\\u[0-9a-fA-F]{4})+`)
	escapedBackward = strings.NewReplacer(`\\`, `__`)
)

// loneSurrogate reports whether a JSON string escapes half a surrogate pair.
func loneSurrogate(token string) bool {
	for _, run := range unicodeEscapes.FindAllString(escapedBackward.Replace(token), -1) {
		var units []uint16
		for hex := range strings.SplitSeq(run[len(`\u`):], `\u`) {
			unit, err := strconv.ParseUint(hex, 16, 16)
			if err != nil {
				panic(err)
			}
			units = append(units, uint16(unit))
		}
		if !slices.Equal(utf16.Encode(utf16.Decode(units)), units) {
			return true
		}
	}
	return false
}

// maxDigits is how many digits an integer id may have, written out.
const maxDigits = 64

// integer returns the digits of the integer that a JSON number spells, unless
// it is a fraction or has more than maxDigits of them.
func integer(number string) (digits string, ok bool) {
	mantissa, exponent, found := strings.Cut(strings.ToLower(number), "e")
	scale := new(big.Int)
	if found {
		scale.SetString(exponent, 10)
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = whole + fraction
	significant := strings.TrimRight(digits, "0")
	scale.Add(scale, big.NewInt(int64(len(digits)-len(significant)-len(fraction))))
	significant = strings.TrimLeft(significant, "0")
	switch {
	case significant == "":
		return "0", true
	case scale.Sign() < 0:
		return "", false
	case scale.Cmp(big.NewInt(int64(maxDigits-len(significant)))) > 0:
		return "", false
	}
	digits = significant + strings.Repeat("0", int(scale.Int64()))
	if negative {
		digits = "-" + digits
	}
	return digits, true
}
