package markdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// answer is what came of a source. The first of a process names its build instead.
type answer struct {
	Build string   `json:",omitempty"`
	Lines []string `json:",omitempty"`
	Err   string   `json:",omitempty"`
}

// Serve is the other end of a Subprocess: it renders with e what is asked for on in, until
// that ends.
func Serve(in io.Reader, out io.Writer, e Engine) error { return serve(in, out, e, buildName()) }

func serve(in io.Reader, out io.Writer, e Engine, build string) error {
	read, send := json.NewDecoder(in), json.NewEncoder(out)
	if err := send.Encode(answer{Build: build}); err != nil {
		return err
	}
	for {
		var s Source
		if err := read.Decode(&s); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := send.Encode(answerTo(e, s)); err != nil {
			return err
		}
	}
}

// answerTo is what e makes of a source. Its panic is an answer too.
func answerTo(e Engine, s Source) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Err: fmt.Sprintf("cannot lay out: %v", r)}
		}
	}()
	lines, err := e.Render(s)
	if err != nil {
		return answer{Err: err.Error()}
	}
	return answer{Lines: lines}
}
