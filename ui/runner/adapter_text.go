package runner

import (
	"strings"

	"vise/model"
	"vise/ui/transcript"
)

// plain takes all that a program writes as the words of one round without calls.
type plain struct{ text strings.Builder }

// maxPlain bounds the words that are kept, in bytes; a trace keeps far less.
const maxPlain = 1 << 20

func (p *plain) line(raw []byte) ([]said, error) {
	if p.text.Len()+len(raw) < maxPlain {
		p.text.Write(raw)
		p.text.WriteByte('\n')
	}
	return nil, nil
}

func (p *plain) end() ([]said, model.Text, string) {
	text := transcript.Words(p.text.String())
	if text == "" {
		return nil, "", ""
	}
	return []said{{Round: model.Round{Text: text}}}, text, ""
}
