package model

import "hash/fnv"

// AgentID names an agent; it is also a directory name in the home.
type AgentID string

// ItemID identifies a WorkItem: "wi-" and a ULID in lower case, or the id an import brought.
type ItemID string

// WaitID, TaskID, BriefID, DeliveryID and DelegationID identify their records.
type (
	WaitID       string
	TaskID       string
	BriefID      string
	DeliveryID   string
	DelegationID string
)

// Handle is the short name of a WorkItem for people: "wi-" and four to thirteen letters.
type Handle string

const maxID = 64

// ValidID reports whether s may name a record, an agent or a directory:
// ^[a-z0-9][a-z0-9_-]{0,63}$.
func ValidID(s string) bool {
	if s == "" || len(s) > maxID || !alnum(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !alnum(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func alnum(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' }

// handleOf spells the first n letters of an item's handle. Its letters come from a
// hash, so that items made in one second (whose ULIDs share their first half) differ.
func handleOf(id ItemID, n int) Handle {
	const letters = "0123456789abcdefghjkmnpqrstvwxyz"
	h := fnv.New64a()
	h.Write([]byte(id))
	sum := h.Sum64()
	sum ^= sum >> 29
	b := []byte("wi-")
	for range n {
		b = append(b, letters[sum&31])
		sum >>= 5
	}
	return Handle(b)
}

// shortestHandle and longestHandle bound a handle's letters after "wi-".
const (
	shortestHandle = 4
	longestHandle  = 12
)

// NewHandle is the shortest handle of id that nobody holds.
func NewHandle(id ItemID, taken func(Handle) bool) Handle {
	for n := shortestHandle; n < longestHandle; n++ {
		if h := handleOf(id, n); !taken(h) {
			return h
		}
	}
	return handleOf(id, longestHandle)
}
