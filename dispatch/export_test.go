package dispatch

// AppendRetryKey lets the fuzz target at the splicing itself.
var AppendRetryKey = appendRetryKey
