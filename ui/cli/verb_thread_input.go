package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
)

// patchFlags are the ways to say what should change.
type patchFlags struct {
	jsonPatch, fromFile string
	verify, drop, clear []string
}

func (p *patchFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&p.jsonPatch, "json-patch", "", "a JSON object: texts replace, lists append")
	c.Flags().StringVar(&p.fromFile, "from-file", "", "a file with such an object, - for standard input; --json-patch wins key by key")
	c.Flags().StringArrayVar(&p.verify, "verify", nil, "move an entry from unverified to verified")
	c.Flags().StringArrayVar(&p.drop, "drop", nil, "FIELD=ENTRY: take an entry out of a list")
	c.Flags().StringArrayVar(&p.clear, "clear", nil, "empty a field")
}

func (p *patchFlags) given() bool {
	return p.jsonPatch != "" || p.fromFile != "" || len(p.verify)+len(p.drop)+len(p.clear) > 0
}

func (p *patchFlags) patch(a *app) (thread.Patch, error) {
	layers, err := a.layers(p.fromFile, p.jsonPatch)
	if err != nil {
		return thread.Patch{}, err
	}
	patch, err := thread.ParsePatch(layers...)
	if err != nil {
		return patch, err
	}
	drop := map[thread.Field][]model.Text{}
	for _, d := range p.drop {
		field, entry, ok := strings.Cut(d, "=")
		if !ok {
			return patch, threadMisuse("--drop wants FIELD=ENTRY")
		}
		drop[thread.Field(field)] = append(drop[thread.Field(field)], model.Text(entry))
	}
	var clear []thread.Field
	for _, f := range p.clear {
		clear = append(clear, thread.Field(f))
	}
	var verify []model.Text
	for _, v := range p.verify {
		verify = append(verify, model.Text(v))
	}
	return patch.With(verify, drop, clear)
}

// layers reads a file, then a text given directly; either may be absent.
func (a *app) layers(file, direct string) ([][]byte, error) {
	var out [][]byte
	if file != "" {
		raw, err := a.fileOrStdin("from-file", file)
		if err != nil {
			return nil, err
		}
		out = append(out, []byte(raw))
	}
	if direct != "" {
		out = append(out, []byte(direct))
	}
	return out, nil
}
