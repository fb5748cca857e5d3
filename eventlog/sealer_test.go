package eventlog_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

// The vectors that C2SP publishes for XAES-256-GCM: the two differ in whether
// the subkey is reduced.
func TestXAES(t *testing.T) {
	tests := []struct {
		key         byte
		extra, want string
	}{
		{1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
		{3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
	}
	for _, test := range tests {
		key := bytes.Repeat([]byte{test.key}, 32)
		got, err := eventlog.SealXAES(key, []byte("ABCDEFGHIJKLMNOPQRSTUVWX"), []byte("XAES-256-GCM"), []byte(test.extra))
		require.NoError(t, err)
		require.Equal(t, test.want, hex.EncodeToString(got))
	}
}

func sealer(t *testing.T, audience string, keys ...[]byte) *eventlog.Sealer {
	t.Helper()
	s, err := eventlog.NewSealer(keys, &eventlog.SealerOptions{Audience: audience})
	require.NoError(t, err)
	return s
}

func TestSealer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sealer(t, "session", eventlog.NewSealerKey())
		for _, state := range []string{"", "x", `{"v":"2025-11-25"}`, strings.Repeat("x", 2000)} {
			text, err := s.Seal("alice", []byte(state), time.Minute)
			require.NoError(t, err)
			require.Regexp(t, `^[A-Za-z0-9_-]+$`, text)
			require.NotContains(t, text, "alice")
			again, err := s.Seal("alice", []byte(state), time.Minute)
			require.NoError(t, err)
			require.NotEqual(t, text, again, "what is sealed twice cannot be told to be the same")
			got, err := s.Open("alice", text)
			require.NoError(t, err)
			require.Equal(t, state, string(got))
		}
	})
}

func TestSealerRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := eventlog.NewSealerKey()
		s := sealer(t, "session", key)
		text, err := s.Seal("alice", []byte("state"), time.Minute)
		require.NoError(t, err)
		tests := map[string]struct {
			by        *eventlog.Sealer
			principal string
			text      string
			want      error
		}{
			"another principal":    {s, "bob", text, eventlog.ErrForeign},
			"no principal":         {s, "", text, eventlog.ErrForeign},
			"another audience":     {sealer(t, "requestState", key), "alice", text, eventlog.ErrForeign},
			"a shifted boundary":   {sealer(t, "sessiona", key), "lice", text, eventlog.ErrForeign},
			"another key":          {sealer(t, "session", eventlog.NewSealerKey()), "alice", text, eventlog.ErrUnsealable},
			"empty":                {s, "alice", "", eventlog.ErrUnsealable},
			"no base64url":         {s, "alice", "****", eventlog.ErrUnsealable},
			"cut":                  {s, "alice", text[:len(text)-4], eventlog.ErrUnsealable},
			"short":                {s, "alice", text[:8], eventlog.ErrUnsealable},
			"continued":            {s, "alice", text + "AAAA", eventlog.ErrUnsealable},
			"with a line end":      {s, "alice", text[:20] + "\n" + text[20:], eventlog.ErrUnsealable},
			"too long":             {s, "alice", strings.Repeat("A", 1<<20), eventlog.ErrUnsealable},
			"an id that is random": {s, "alice", eventlog.NewKey(), eventlog.ErrUnsealable},
		}
		for name, test := range tests {
			got, err := test.by.Open(test.principal, test.text)
			require.ErrorIs(t, err, test.want, name)
			require.ErrorIs(t, err, eventlog.ErrRefused, name)
			require.Nil(t, got, name)
		}
		// Every changed character is noticed, the spare bits of the last one too.
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		for i := range len(text) {
			for _, c := range []byte{alphabet[(strings.IndexByte(alphabet, text[i])+1)%64], alphabet[strings.IndexByte(alphabet, text[i])^1]} {
				changed := []byte(text)
				changed[i] = c
				_, err := s.Open("alice", string(changed))
				require.ErrorIs(t, err, eventlog.ErrUnsealable, "character %d", i)
			}
		}
	})
}

func TestSealerExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sealer(t, "session", eventlog.NewSealerKey())
		seal := func(ttl time.Duration) string {
			text, err := s.Seal("", []byte("state"), ttl)
			require.NoError(t, err)
			return text
		}
		minute, ever, over := seal(time.Minute), seal(-1), seal(0)
		_, err := s.Open("", over)
		require.ErrorIs(t, err, eventlog.ErrExpired)
		pass(time.Minute - 1)
		_, err = s.Open("", minute)
		require.NoError(t, err)
		pass(time.Second)
		_, err = s.Open("", minute)
		require.ErrorIs(t, err, eventlog.ErrExpired)
		require.ErrorIs(t, err, eventlog.ErrRefused)
		pass(50 * 365 * 24 * time.Hour)
		_, err = s.Open("", ever)
		require.NoError(t, err)
	})
}

// A key can be replaced while every replica goes on to read what the others
// seal.
func TestKeyRing(t *testing.T) {
	old, fresh := eventlog.NewSealerKey(), eventlog.NewSealerKey()
	before, during, after, done := sealer(t, "a", old), sealer(t, "a", old, fresh), sealer(t, "a", fresh, old), sealer(t, "a", fresh)
	tests := []struct {
		seals *eventlog.Sealer
		opens []*eventlog.Sealer
		not   []*eventlog.Sealer
	}{
		{before, []*eventlog.Sealer{before, during, after}, []*eventlog.Sealer{done}},
		{during, []*eventlog.Sealer{before, during, after}, []*eventlog.Sealer{done}},
		{after, []*eventlog.Sealer{during, after, done}, []*eventlog.Sealer{before}},
	}
	for _, test := range tests {
		text, err := test.seals.Seal("p", []byte("state"), time.Hour)
		require.NoError(t, err)
		for _, s := range test.opens {
			_, err := s.Open("p", text)
			require.NoError(t, err)
		}
		for _, s := range test.not {
			_, err := s.Open("p", text)
			require.ErrorIs(t, err, eventlog.ErrUnsealable)
		}
	}
}

func TestSealerLimits(t *testing.T) {
	s := sealer(t, "", eventlog.NewSealerKey())
	_, err := s.Seal("", make([]byte, 4<<10), time.Hour)
	require.ErrorIs(t, err, eventlog.ErrTooLarge)
	require.ErrorContains(t, err, "MaxSealed = 4096")
	require.NotErrorIs(t, err, eventlog.ErrRefused)
	text, err := s.Seal("", make([]byte, 3000), time.Hour)
	require.NoError(t, err)
	require.LessOrEqual(t, len(text), eventlog.DefaultMaxSealed)

	small, err := eventlog.NewSealer([][]byte{eventlog.NewSealerKey()}, &eventlog.SealerOptions{MaxSealed: 100})
	require.NoError(t, err)
	_, err = small.Seal("", []byte("123456"), time.Hour)
	require.NoError(t, err)
	_, err = small.Seal("", []byte("1234567"), time.Hour)
	require.ErrorIs(t, err, eventlog.ErrTooLarge)
}

func TestSealerKeys(t *testing.T) {
	good := eventlog.NewSealerKey()
	for name, keys := range map[string][][]byte{
		"none":      nil,
		"empty":     {good, nil},
		"short":     {good[:16]},
		"long":      {append(good, 0)},
		"all zeros": {good, make([]byte, 32)},
	} {
		_, err := eventlog.NewSealer(keys, nil)
		require.Error(t, err, name)
	}
	_, err := eventlog.NewSealer([][]byte{good}, nil)
	require.NoError(t, err)
}

// Whatever a peer presents is refused with one of our reasons.
func FuzzSealerOpen(f *testing.F) {
	s, err := eventlog.NewSealer([][]byte{bytes.Repeat([]byte{7}, 32)}, nil)
	if err != nil {
		f.Fatal(err)
	}
	text, err := s.Seal("p", []byte("state"), -1)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", text, text[:40], text + "A", eventlog.NewKey(), strings.Repeat("A", 200), "AQ\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, presented string) {
		state, err := s.Open("p", presented)
		switch {
		case err == nil && string(state) != "state": // each process of the fuzzer seals a text of its own
			t.Fatalf("opened %q: %q", presented, state)
		case err != nil && !errors.Is(err, eventlog.ErrRefused):
			t.Fatalf("%q: %v", presented, err)
		}
	})
}
