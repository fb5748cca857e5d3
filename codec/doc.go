// Package codec turns frames into JSON-RPC 2.0 messages as MCP uses them, and
// messages into frames. One strict pass over the bytes validates, classifies
// and notes what a router needs; payloads stay raw and are never re-marshalled.
//
// # Usage
//
// A reader keeps one [Decoder] and one [Message] and calls [Decoder.Decode] for
// each frame; [Decode] does the same with a pooled decoder. [Message.Kind] says
// what came, [Message.Fact] gives the members that routing needs, and
// [Message.Element] gives the elements of a [Batch]. Anything else is read from
// the raw payload with [Find] or with a JSON library.
//
// The Append functions write a message to the end of a buffer, always on one
// line; [Message.AppendText] does so for any kind of message.
//
// # Strictness
//
// After Decode the whole frame is known to be one value of RFC 8259 JSON in
// UTF-8, without raw control characters and with nothing behind it. Member
// names match byte for byte once escapes are resolved. A name that is a [Fact]
// may not occur twice in its object, because two readers could then disagree
// about the message; unknown names, and every name further down, belong to the
// application. A fact of the wrong JSON type is present, and its reader's to
// judge; only the types of jsonrpc, id, method, params, error, error.code and
// error.message are judged here. Lone surrogate escapes are legal text: kept in
// payloads, never equal to another name, refused in ids and in method, which
// could not be echoed or routed as they are. params may be an object or an array
// and a result may be anything: what a profile allows is decided above this
// package.
//
// A refused message that is valid JSON keeps an id that could be read, so that
// an answer can carry it (CO-22); text that is not valid JSON yields no id,
// since nothing in it can be trusted.
//
// # Concurrency
//
// A Decoder is for one goroutine at a time. Messages, ids and values are plain
// data: safe to read from many goroutines while nobody writes. Package-level
// functions are safe for concurrent use.
//
// # Ownership
//
// Frames given to Decode are borrowed by the Message until it is detached: its
// fields, facts and elements are views, each cut to its length. The encoder
// borrows what it is given until it returns and never writes to it; dst is the
// caller's and is returned extended, in the manner of append.
//
// # Limits
//
// [Limits] bounds bytes, nesting, batch elements and id length, all with
// non-zero defaults; every refusal names its limit and the byte offset.
//
// # Errors
//
// Decode and Element return a *[DecodeError]: -32700 for text that is not JSON
// or nests too deep, -32600 for everything else. [Error] is the error object
// of the wire; [LayerOf] says which layer its code belongs to.
package codec
