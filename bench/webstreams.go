package bench

// WebStreams are open GET streams of one server, each of a session of its own.
type WebStreams []*WebConn

// OpenWebStreams opens n of them. The posts of all sessions go over one connection.
func OpenWebStreams(addr string, n int) (all WebStreams, err error) {
	post, err := DialWeb(addr)
	if err != nil {
		return nil, err
	}
	defer post.Close()
	for range n {
		session, err := OpenWeb(post)
		if err == nil {
			var c *WebConn
			if c, err = DialWeb(addr); err == nil {
				all = append(all, c)
				err = c.Open(WebStream(session))
			}
		}
		if err != nil {
			all.Close()
			return nil, err
		}
	}
	return all, nil
}

// Close closes the connections.
func (s WebStreams) Close() {
	for _, c := range s {
		_ = c.Close() // the server's end is its own matter
	}
}
