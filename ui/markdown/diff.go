package markdown

import "strings"

// Changes are the lines by which a document differs from an older one.
type Changes struct {
	Added, Removed int
	// Edits are the lines in the order of the document, removed ones first where they
	// stand together.
	Edits []Edit

	added map[int]bool
}

// Edit is a line that was added or removed.
type Edit struct {
	Old, New int // its number in the older or the newer document, 0 if it is not in it
	Text     string
}

// Touch reports whether a line on screen shows a source line that is new or changed.
func (c Changes) Touch(l Line) bool {
	for n := l.From; n > 0 && n <= l.To; n++ {
		if c.added[n] {
			return true
		}
	}
	return false
}

// Changed compares d with what it was. A change of many lines at once is told as all of
// them replaced.
func (d *Document) Changed(old *Document) Changes {
	before, a, b := middle(old.src, d.src)
	c := Changes{added: map[int]bool{}}
	keep := common(a, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && keep[i] == j:
			i++
			j++
		case i < len(a) && keep[i] < 0:
			i++
			c.Removed++
			c.Edits = append(c.Edits, Edit{Old: before + i, Text: a[i-1]})
		default:
			j++
			c.Added++
			c.added[before+j] = true
			c.Edits = append(c.Edits, Edit{New: before + j, Text: b[j-1]})
		}
	}
	return c
}

// middle is how many lines a and b begin with alike, and the lines between those and the
// lines that they end with alike.
func middle(a, b string) (before int, as, bs []string) {
	head := alike(a, b)
	if head == len(a) && head == len(b) {
		return 0, nil, nil
	}
	head = strings.LastIndexByte(a[:head], '\n') + 1
	tail := alikeAtEnd(a[head:], b[head:])
	as, bs = linesOf(a[head:len(a)-tail]), linesOf(b[head:len(b)-tail])
	for len(as) > 0 && len(bs) > 0 && as[len(as)-1] == bs[len(bs)-1] {
		as, bs = as[:len(as)-1], bs[:len(bs)-1]
	}
	return strings.Count(a[:head], "\n"), as, bs
}

// chunk is how many bytes are compared at once, which is many times faster than one by one.
const chunk = 1 << 10

// alike is how many bytes a and b begin with alike.
func alike(a, b string) (n int) {
	for short := min(len(a), len(b)); n < short; {
		if next := min(n+chunk, short); a[n:next] == b[n:next] {
			n = next
			continue
		}
		for a[n] == b[n] {
			n++
		}
		return n
	}
	return n
}

// alikeAtEnd is how many bytes of whole lines a and b end with alike.
func alikeAtEnd(a, b string) int {
	n, short := 0, min(len(a), len(b))
	for n < short {
		next := min(n+chunk, short)
		if a[len(a)-next:len(a)-n] != b[len(b)-next:len(b)-n] {
			break
		}
		n = next
	}
	for n < short && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	if first := strings.IndexByte(a[len(a)-n:], '\n'); first >= 0 {
		return n - first - 1
	}
	return 0
}

func linesOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

const (
	// maxEdits and maxSteps bound the search for common lines, in memory and in time.
	maxEdits = 1000
	maxSteps = 20_000_000
)

// common tells for each line of a which line of b it is, -1 for none: a shortest edit
// script after Myers 1986, or no line at all if that takes more than the bounds.
func common(a, b []string) []int {
	keep := make([]int, len(a))
	for i := range keep {
		keep[i] = -1
	}
	trace := search(numbered(a, b))
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		px, py := 0, 0
		if d > 0 {
			k := trace[d].before(x - y)
			px = trace[d].reach(k)
			py = px - k
		}
		for x > px && y > py {
			x, y = x-1, y-1
			keep[x] = y
		}
		x, y = px, py
	}
	return keep
}

// numbered gives equal lines equal numbers.
func numbered(a, b []string) (as, bs []int32) {
	numbers := map[string]int32{}
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, line := range lines {
			n, ok := numbers[line]
			if !ok {
				n = int32(len(numbers))
				numbers[line] = n
			}
			out[i] = n
		}
		return out
	}
	return number(a), number(b)
}

// front is how far into a the paths with d edits come, by diagonal -d to d.
type front struct {
	d  int
	xs []int32
}

func (f front) reach(k int) int {
	if k < -f.d || k > f.d {
		return -1
	}
	return int(f.xs[k+f.d])
}

// before is the diagonal that the best path onto diagonal k comes from; f is the front
// with one edit less.
func (f front) before(k int) int {
	if f.reach(k-1) < f.reach(k+1) {
		return k + 1 // a line of b is added
	}
	return k - 1 // a line of a is removed
}

// search is the fronts before each step to the end of both, nil if it is too far. The
// front before the first step is empty.
func search(a, b []int32) []front {
	limit := min(len(a)+len(b), maxEdits, maxSteps/max(len(a)+len(b), 1)+1)
	trace := []front{{d: -1}}
	for d := 0; d <= limit; d++ {
		last := trace[d]
		next := front{d: d, xs: make([]int32, 2*d+1)}
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				from := last.before(k)
				if x = last.reach(from); from < k {
					x++
				}
			}
			for x < len(a) && x-k < len(b) && x >= 0 && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			if next.xs[k+d] = int32(x); x >= len(a) && x-k >= len(b) {
				return trace
			}
		}
		trace = append(trace, next)
	}
	return nil
}
