package apart

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"vise/ui/markdown/layout"
)

// Serve is the other end of an Engine: it lays out with e what is asked for on in, until
// that ends.
func Serve(in io.Reader, out io.Writer, e layout.Engine) error { return serve(in, out, e, buildName()) }

func serve(in io.Reader, out io.Writer, e layout.Engine, build string) error {
	read, send := gob.NewDecoder(in), gob.NewEncoder(out)
	if err := send.Encode(answer{Build: build}); err != nil {
		return err
	}
	var look layout.Look
	for {
		var q question
		if err := read.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if q.Look != nil {
			look = *q.Look
		}
		if err := send.Encode(answered(e, q, look)); err != nil {
			return err
		}
	}
}

// answered is what e makes of a question. Its panic is an answer too.
func answered(e layout.Engine, q question, look layout.Look) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Err: fmt.Sprintf("cannot lay out: %v", r)}
		}
	}()
	var err error
	switch {
	case q.Prose != nil:
		q.Prose.Look = look
		a.Lines, err = e.Prose(*q.Prose)
	case q.Code != nil:
		q.Code.Look = look
		a.Lines, a.Known, err = e.Code(*q.Code)
	}
	if err != nil {
		a = answer{Known: a.Known, Err: err.Error()}
	}
	return a
}
