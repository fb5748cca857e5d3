package scan

// Fault says why text is not acceptable JSON. The zero value, OK, is success.
type Fault uint8

// The faults, in no particular order.
const (
	OK            Fault = iota
	UnexpectedEnd       // the text breaks off inside a value
	BadByte             // a byte that no value, separator or name can begin with
	BadLiteral          // a misspelt true, false or null
	BadNumber           // a number that RFC 8259 does not know (leading zero, bare minus, ...)
	BadEscape           // a backslash followed by anything RFC 8259 does not list
	ControlChar         // a raw byte below 0x20 in a string
	BadUTF8             // a byte sequence in a string that is not UTF-8
	MissingName         // an object member that does not begin with a string
	MissingColon        // no colon behind a member name
	MissingComma        // neither a comma nor the closing bracket behind a value
	TrailingText        // text behind the value
	TooDeep             // nesting beyond the scanner's MaxDepth
	faultCount
)

var faultText = [faultCount]string{
	OK:            "no fault",
	UnexpectedEnd: "unexpected end of text",
	BadByte:       "unexpected byte where a value must begin",
	BadLiteral:    "misspelt literal (only true, false and null exist)",
	BadNumber:     "malformed number",
	BadEscape:     "malformed escape in a string",
	ControlChar:   "raw control character in a string",
	BadUTF8:       "invalid UTF-8 in a string",
	MissingName:   "an object member must begin with a string",
	MissingColon:  "missing colon behind a member name",
	MissingComma:  "missing comma or closing bracket",
	TrailingText:  "text behind the value",
	TooDeep:       "nesting deeper than allowed",
}

// String returns a short description in English.
func (f Fault) String() string {
	if f < faultCount {
		return faultText[f]
	}
	return "unknown fault"
}
