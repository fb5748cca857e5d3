package stdio

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Inherit is how much of our environment a child gets. What it does not get
// cannot leak from it.
type Inherit uint8

const (
	// InheritBase passes on what most programs need and what holds no secrets:
	// HOME, LANG, LC_ALL, LC_CTYPE, LOGNAME, PATH, SHELL, TERM, TMPDIR, TZ and
	// USER; on Windows APPDATA, COMSPEC, HOMEDRIVE, HOMEPATH, LOCALAPPDATA, PATH,
	// PATHEXT, PROCESSOR_ARCHITECTURE, PROGRAMDATA, PROGRAMFILES, SYSTEMDRIVE,
	// SYSTEMROOT, TEMP, TMP, USERNAME, USERPROFILE and WINDIR, and PYTHONUTF8=1
	// besides, since Python writes the code page otherwise. Values that begin
	// with "()" are shell functions and stay behind.
	InheritBase Inherit = iota
	// InheritAll passes everything on.
	InheritAll
	// InheritNone passes nothing on.
	InheritNone
)

var baseKeys = map[bool][]string{
	false: {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"},
	true: {"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
		"PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"},
}

const onWindows = runtime.GOOS == "windows"

// environment returns the child's environment. Where a key appears twice the
// last one counts: package exec drops the others.
func (o *Options) environment() []string {
	env := []string{} // nil would mean ours
	switch o.Inherit {
	case InheritAll:
		env = append(env, os.Environ()...)
	case InheritBase:
		for _, key := range baseKeys[onWindows] {
			if v, ok := os.LookupEnv(key); ok && !strings.HasPrefix(v, "()") {
				env = append(env, key+"="+v)
			}
		}
		if onWindows {
			env = append(env, "PYTHONUTF8=1")
		}
	}
	for _, e := range o.Env {
		if strings.Contains(e, "=") {
			env = append(env, e)
		} else if v, ok := os.LookupEnv(e); ok {
			env = append(env, e+"="+v)
		}
	}
	return env
}

// lookPath finds the command where the child would: in the PATH that the
// options set for it, or else in ours; a relative path from its working
// directory on.
func (o *Options) lookPath(name string) (string, error) {
	if o.Dir != "" && filepath.Base(name) != name && !filepath.IsAbs(name) {
		_, err := exec.LookPath(o.Dir + string(filepath.Separator) + name)
		return name, err // it is looked for from there once more
	}
	var path string
	for _, e := range o.Env {
		key, value, ok := strings.Cut(e, "=")
		if ok && (key == "PATH" || onWindows && strings.EqualFold(key, "PATH")) {
			path = value
		}
	}
	if path == "" || filepath.Base(name) != name {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) { // a relative one depends on where we are
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
