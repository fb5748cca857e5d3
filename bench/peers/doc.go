// Package peers compares wirespool with other SDKs and JSON libraries, on the
// messages of package bench. It is a module of its own, so that nobody who uses
// wirespool gets their requirements.
//
// # Usage
//
//	cd bench/peers
//	go test -bench .                        # every row of this package
//	go run ./cmd/wirebench -quick           # tables of ratios, whole processes too
//
// A benchmark is named BenchmarkDecode, Encode, Batch, Frame, SSE, Dispatch, Log, Adapter,
// HTTP, Fanout or Client, then shape=…/size=…/impl=…, as in package bench. [Groups] and
// [AdapterGroups] return the same rows, for a program that lets the impls of a group take
// turns; HTTP, Fanout and Client are measured there with processes of their own.
//
// # What is compared
//
// Decode: wirespool checks the whole text strictly, classifies the message and
// notes what a router needs. encoding/json (json_v2 where the toolchain has it),
// sonic, goccy and segmentio decode into an envelope whose payloads stay raw; jx,
// fastjson, gjson and simdjson look the members up that decide. The SDKs run what
// they run first: go-sdk, exp-jsonrpc2 their DecodeMessage, jrpc2 ParseRequests
// (requests only), sourcegraph the types it decodes into. All find kind, id and
// method, and a test holds them to it; how much of the text they check differs:
// gjson nothing, fastjson neither escapes nor control characters, sonic neither
// UTF-8 nor control characters, and all but json_v2 let names occur twice.
//
// Batch: the same for an array and each of its elements. Encode: a response
// around a raw result. Frame: cutting a stream into frames. SSE: reading a stream
// of server-sent events, and making an event of a message; r3labs is not among
// those that make one, because its server does that within a whole HTTP exchange.
// Dispatch: a server that is asked by a peer that costs next to nothing, and a
// client and a server of one library over a pipe; handlers look at nothing and
// answer something constant. What observers cost, arrays that compute, and Log are as in
// package bench: there is nothing to compare them with.
//
// Adapter/shape=go-sdk-…: a server of go-sdk on its own transports, and on wirespool by its
// adapter: over a byte stream, and over HTTP without sockets, in JSON. What a client
// would send is bytes that are there already. The tool returns the text it was called
// with. Over the byte stream wirespool is by gosdk.Run, wirespool-transport by the
// server's own Run.
//
// Adapter/shape=mcp-go-…: mcp-go on its own transports, and on wirespool by its adapter:
// client and server together, over pipes and HTTP on loopback, and in mcp-go-server-…
// the server alone, in the way of go-sdk's. limit-sdk is mcp-go's client and its
// HandleMessage with nothing between them, or nothing but net/http.
//
// HTTP: a call to a Streamable HTTP server on the loopback address, its client
// included. go-sdk has a typed tool; mcp-go answers with an event stream when its
// handler says so.
//
// Fanout: one notification to 100 and 1,000 open event streams, and Client: a call by
// the SDKs' Streamable HTTP clients to one and the same server, which is ours. Both are
// as in package bench: clients and server are in this process and on the loopback
// address.
//
// Three rows are written anew here, because the original cannot be called by
// itself: mcp-go in Decode (the first parse of MCPServer.HandleMessage), mcp-go in
// Frame (a goroutine for each line) and go-sdk in Frame (a json.Decoder and a look
// at the byte behind). exp-jsonrpc2 in Frame is such a row too: its reader would
// decode the message as well. What is not exported is called by its symbol: in
// Batch readBatch of go-sdk, in SSE its scanEventsLimited and writeEvent, and
// processEvent of r3labs.
//
// An impl called limit-… does less than the work, as little as the machine
// allows; so does sonic.Valid.
//
// # Concurrency
//
// A group's entries are for one goroutine.
//
// # Ownership
//
// Groups are made anew by each call.
//
// # Limits
//
// None: nothing here takes input from outside.
//
// # Errors
//
// Do of an entry returns the error of its library, or that the work was not done.
package peers
