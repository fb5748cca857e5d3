package limits_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wirespool/wirespool/bench/limits"
)

func TestHandler(t *testing.T) {
	h := limits.Handler([]byte("{}"))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader("x")))
	if w.Code != 200 || w.Body.String() != "{}" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %s %s", w.Code, w.Header(), w.Body)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/", iotest.ErrReader(errors.New("broken"))))
	if w.Code != 400 {
		t.Errorf("a body that breaks off: %d", w.Code)
	}
}
