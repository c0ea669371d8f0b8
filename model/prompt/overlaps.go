package prompt

import (
	"fmt"
	"strings"

	"vise/model"
)

// maxOverlapsShown bounds the overlaps that are told, the newest first.
const maxOverlapsShown = 5

// overlaps tell which files other agents change too.
func overlaps(list []model.Overlapped) layer {
	least := fmt.Sprintf("Overlaps: other agents change %s that you change", model.Counted(len(list), "file"))
	return layerOfSome("overlaps", len(list), least, "", Overlaps(list))
}

// Overlaps is what an agent is told of the files that other agents change too; empty for none.
func Overlaps(list []model.Overlapped) string {
	if len(list) == 0 {
		return ""
	}
	lines := []string{"Overlaps: other agents change files that you change. Keep to your lines there, or agree with them " +
		"(vise say AGENT TEXT):"}
	for _, x := range list[:min(len(list), maxOverlapsShown)] {
		lines = append(lines, "- "+clip(model.Text(x.Words()), 2*waitText))
	}
	if more := len(list) - maxOverlapsShown; more > 0 {
		lines = append(lines, fmt.Sprintf("- … and %d more", more))
	}
	return strings.Join(lines, "\n")
}
