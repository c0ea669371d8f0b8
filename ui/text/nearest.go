package text

import "strings"

// Nearest returns the name that was probably meant, or "".
func Nearest(name string, known []string) string {
	best, far := "", 3
	for _, k := range known {
		d := distance(strings.ToLower(name), k)
		if strings.HasPrefix(k, name) && len(name) > 2 {
			d = min(d, 2)
		}
		if d < far && d < max(len(k), 2) {
			best, far = k, d
		}
	}
	return best
}

// maxName bounds the length of names that are compared letter by letter.
const maxName = 64

// distance is how many letters must be changed, added, removed or swapped to turn a into b.
func distance(a, b string) int {
	if len(a) > maxName || len(b) > maxName {
		return maxName
	}
	var older, old []int // the rows of the two letters of a before this one
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		older, old, row = old, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			changed := 1
			if a[i] == b[j] {
				changed = 0
			}
			row[j+1] = min(old[j+1]+1, row[j]+1, old[j]+changed)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
