package dispatch

// Stamp is what the engine makes of a result in 2026-07-28.
func Stamp(method string, result []byte) []byte {
	e := newEngine(&Options{Info: Info{Name: "n", Version: "1"}})
	return new(worker).stamp(&Request{peer: &Peer{engine: e}, route: &route{}}, []byte(method), result)
}
