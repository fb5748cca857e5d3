package framing

const bom = "\xEF\xBB\xBF"

// begin skips one byte order mark and, under Detect, waits for the byte that
// decides. When the source ends first, whatever has come is left to the parser.
func (r *Reader) begin() {
	for open := true; open; {
		have := r.mem[r.s:r.w]
		switch n := min(len(have), len(bom)); {
		case string(have[:n]) != bom[:n]:
			open = false
		case n == len(bom):
			r.s += n
			r.p = r.s
			open = false
		default:
			open = r.fill() == nil
		}
	}
	f := r.Framing()
	for f == Detect {
		switch c, ok := r.peek(); {
		case ok && isLetter(c):
			f = ContentLength
		case ok:
			f = Newline
		case r.fill() != nil:
			f = Newline
		}
	}
	r.framing.Store(uint32(f))
	if f == ContentLength {
		r.mode, r.phase = modeCounted, inHeader
	} else {
		r.mode, r.phase = modeLines, inLines
	}
	r.p = r.s
}

// peek returns the first byte that is not white space. Blank lines before it
// are dropped, so that any number of them costs no memory; white space before
// it on its own line is the line's.
func (r *Reader) peek() (byte, bool) {
	for ; r.p < r.w; r.p++ {
		switch c := r.mem[r.p]; c {
		case '\n':
			r.s = r.p + 1
		case ' ', '\t', '\r':
			if r.p-r.s > r.opt.MaxFrame {
				return c, true // the line is too long whatever follows
			}
		default:
			return c, true
		}
	}
	return 0, false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
