package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/ui/text"
)

var update = flag.Bool("update", false, "write testdata/corpus anew")

// Each file of testdata/corpus is shown as its .txt says, at three widths. No line is wider than the pane, and no line of prose is cut.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.md")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	style := styleOf(t, "mono")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, width := range []int{60, 80, 108} {
				fmt.Fprintf(&got, "%d\n", width)
				for _, l := range unlimited().View(Split(model.Text(src)), width, style).Lines(Position{}, 1000) {
					line := l.Cells(0, width)
					if n := ansi.StringWidth(line); n != width {
						t.Errorf("%q takes %d cells of %d", line, n, width)
					}
					if strings.HasSuffix(line, "…") && !l.Wide() {
						t.Errorf("%q is cut", line)
					}
					got.WriteString("|" + strings.TrimRight(text.Whole(ansi.Strip(line)), " ") + "\n")
				}
			}
			golden := strings.TrimSuffix(file, ".md") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != got.String() {
				t.Errorf("got\n%swant\n%s%v", got.String(), want, err)
			}
		})
	}
}
