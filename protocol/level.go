package protocol

// LogLevel is a severity of notifications/message. Levels are ordered: a
// message passes a threshold when its level is not less (LO-01, LO-02). The
// zero value is no level.
type LogLevel uint8

// The levels, least severe first.
const (
	LevelDebug LogLevel = iota + 1
	LevelInfo
	LevelNotice
	LevelWarning
	LevelError
	LevelCritical
	LevelAlert
	LevelEmergency
)

// levelNames holds the wire names; the zero level has the empty one. It is
// never written to.
var levelNames = [...]string{"", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// LookupLogLevel returns the level called name, compared exactly. A name that
// is none is to be refused with CodeInvalidParams (LO-01, SH26-30).
func LookupLogLevel[T ~string | ~[]byte](name T) (LogLevel, bool) {
	for l := LevelDebug; l <= LevelEmergency; l++ {
		if string(name) == levelNames[l] {
			return l, true
		}
	}
	return 0, false
}

// String returns the wire name of the level, empty for a value that is none.
func (l LogLevel) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return ""
}
