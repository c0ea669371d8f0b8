package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"vise/model"
)

// answer is what a verb has to say, for machines and for people.
type answer struct {
	// data is the envelope's data in JSON.
	data     any
	warnings []model.Warning
	// text writes the same for people; nil writes nothing.
	text func(*page)
	// failed makes the process exit 1 although there is an answer: doctor found something.
	failed bool
}

// receiptAnswer is a receipt, and one line for people.
func receiptAnswer(in model.Receipt, format string, args ...any) answer {
	return answer{data: in, warnings: in.Warnings, text: func(p *page) { p.line(format, args...) }}
}

const schemaPrefix = "vise.v1."

type envelope struct {
	Schema   string          `json:"schema"`
	Data     any             `json:"data"`
	Warnings []model.Warning `json:"warnings"`
}

type errorEnvelope struct {
	Schema string       `json:"schema"`
	Error  *model.Error `json:"error"`
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
