package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"vise/model"
	"vise/model/todo"
)

// answer is what a verb has to say, for machines and for people.
type answer struct {
	// data is the envelope's data in JSON. Without data there is none: the verb has written by itself.
	data     any
	warnings []model.Warning
	// text writes the same for people, lines are the same where it is only lines; none writes
	// nothing.
	text  func(*page)
	lines []string
	// exit is the exit code although there is an answer: doctor found something.
	exit int
}

// receiptAnswer is a receipt, and one line for people.
func receiptAnswer(in model.Receipt, format string, args ...any) answer {
	return answer{data: in, warnings: in.Warnings, text: func(p *page) { p.line(format, args...) }}
}

// warningsOf are sentences as warnings of one kind.
func warningsOf[S ~string](kind model.WarningKind, list []S) []model.Warning {
	var out []model.Warning
	for _, s := range list {
		out = append(out, model.Warning{Kind: kind, Message: model.Text(s).String()})
	}
	return out
}

const schemaPrefix = "vise.v1."

type envelope struct {
	Schema   string          `json:"schema"`
	Data     any             `json:"data"`
	Warnings []model.Warning `json:"warnings"`
}

type errorEnvelope struct {
	Schema string `json:"schema"`
	Error  struct {
		*model.Error
		// Rule is the clause of the file todos' contract that refused.
		Rule todo.Rule `json:"rule,omitempty"`
	} `json:"error"`
}

// writeJSON writes one line of JSON that cannot drive a terminal either.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("spell the answer as JSON: %w", err)
	}
	_, err := w.Write(harmless(b.Bytes()))
	return err
}

// harmless escapes what a terminal would obey or not show: DEL, C1, bidirectional and
// hidden characters. In JSON they can only stand inside strings, where \u means the same.
func harmless(raw []byte) []byte {
	var out []byte
	copied := 0
	for i := 0; i < len(raw); {
		if raw[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		if model.Text(raw[i : i+size]).Hidden() {
			out = append(out, raw[copied:i]...)
			out = appendEscape(out, r)
			copied = i + size
		}
		i += size
	}
	if copied == 0 {
		return raw
	}
	return append(out, raw[copied:]...)
}

func appendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
