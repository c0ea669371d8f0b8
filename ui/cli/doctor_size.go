package cli

import (
	"strconv"

	"vise/store"
)

// sizes is the data of doctor --size.
type sizes struct {
	Home  string       `json:"home"`
	Bytes int64        `json:"bytes"`
	Parts []store.Part `json:"parts"`
}

// doctorSize reports how much disk space each part of the home takes.
func doctorSize(e *Env) (answer, error) {
	d, err := openHome(e)
	if err != nil {
		return nil, err
	}
	done := doing(e, "looking at what the home takes")
	out := sizes{Home: d.Dir()}
	out.Parts, err = d.Ledger.Sizes(e)
	done()
	for _, p := range out.Parts {
		out.Bytes += p.Bytes
	}
	return answerOf(out, (*page).sizes), err
}

func (p *page) sizes(out sizes) {
	rows := [][]string{}
	for _, x := range out.Parts {
		if x.Bytes == 0 {
			continue
		}
		whole, count := "", ""
		if x.Whole > 0 {
			whole = "(" + sizeOf(x.Whole) + " unpacked)"
		}
		if x.Count > 0 {
			count = strconv.Itoa(x.Count)
		}
		rows = append(rows, []string{x.Name, count, sizeOf(x.Bytes), whole})
	}
	p.plainTable(0, append(rows, []string{"together", "", sizeOf(out.Bytes), ""}))
}
