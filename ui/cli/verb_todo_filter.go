package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
)

// filterFlags are the filters that reading verbs share.
type filterFlags struct {
	status, priority, source, tags []string
	assigned                       string
}

func (f *filterFlags) add(c *cobra.Command, withStatus bool) {
	if withStatus {
		c.Flags().StringSliceVar(&f.status, "status", nil, "only these statuses")
	}
	c.Flags().StringSliceVar(&f.priority, "priority", nil, "only these priorities: p1, p2, p3")
	c.Flags().StringSliceVar(&f.source, "source", nil, "only these sources")
	c.Flags().StringSliceVar(&f.tags, "tags", nil, "only what carries all of these tags")
	c.Flags().StringVar(&f.assigned, "assigned", "", "only what is assigned to this worker")
}

// filter reads the flags. A word that means nothing is an error and never an empty list.
func (f *filterFlags) filter(sources []string) (file.Filter, error) {
	out, err := file.ParseFilter(f.status, f.priority, f.source, f.tags, f.assigned)
	if err != nil {
		return out, err
	}
	return out, out.KnownSources(sources)
}

func texts(words []string) []model.Text {
	var out []model.Text
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, model.Text(w))
		}
	}
	return out
}

func refs(words []string) []file.Ref {
	var out []file.Ref
	for _, w := range words {
		if r := file.Ref(strings.TrimSpace(w)); r != "" && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
