package files

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/model"
)

var raceTime = flag.Duration("race", 500*time.Millisecond, "how long each of the four races lasts")

// Whatever is swapped while a plan is read, the text is one of the item's own and whole, and hash, size and preview
// belong to it. A simple read in the same race goes wrong, which shows that the race happens.
func TestASwapRaceNeitherEscapesNorMixes(t *testing.T) {
	for _, c := range []struct {
		name string
		hows []int // of swapOnce
	}{
		{"everything", []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"symbolic links", []int{0, 3, 4}},
		{"hard links", []int{0, 5}},
		{"directories", []int{0, 7, 8}},
	} {
		t.Run(c.name, func(t *testing.T) { race(t, c.hows) })
	}
}

func race(t *testing.T, hows []int) {
	h := newHome(t)
	own := []string{"plan of wi-1", strings.Repeat("own A ", 300), strings.Repeat("own BB ", 2000), "own C"}
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("SECRET"), 0o600))
	must(t, os.WriteFile(h.PlanPath(agent, other), []byte("OTHER"), 0o600))

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	swaps := 0
	wg.Go(func() {
		r := rand.New(rand.NewPCG(seed, 0))
		for ; ; swaps++ {
			select {
			case <-stop:
				return
			default:
				swapOnce(h, own, secret, hows[r.IntN(len(hows))], r.IntN(len(own)))
			}
		}
	})
	items := h.Items(agent) // stays open, as in a list, while directories below it are swapped
	defer items.Close()
	reads, shown, naive := 0, 0, 0
	began := time.Now()
	shows := func() bool { return shown > 0 && (naive > 0 || testing.Short()) }
	// A busy machine may need longer until anything goes wrong.
	for ; time.Since(began) < *raceTime || !shows() && time.Since(began) < 40*(*raceTime); reads++ {
		got := items.Plan(item)
		if reads%2 == 0 {
			got = h.Plan(agent, item)
		}
		if got.Condition == model.PlanOK {
			shown++
			if wrong := notWhole(got, own); wrong != "" {
				t.Error(wrong)
				break
			}
		}
		if b, err := naiveRead(h.PlanPath(agent, item)); err == nil && !slices.Contains(own, string(b)) {
			naive++
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("%d reads, %d shown, %d swaps; the naive reading went wrong %d times", reads, shown, swaps, naive)
	if !shows() {
		t.Errorf("the race shows nothing: %d shown, %d naive escapes", shown, naive)
	}
}

// notWhole returns what is wrong with a plan whose text must be one of own, or not yet written.
func notWhole(got Plan, own []string) string {
	raw := string(got.Raw)
	if raw != "" && !slices.Contains(own, raw) {
		return fmt.Sprintf("%d bytes are no plan of this item: %.40q", len(raw), raw)
	}
	if got.Hash != sha(got.Raw) || got.Bytes != int64(len(raw)) || !strings.HasPrefix(raw, got.Preview.Raw()) {
		return fmt.Sprintf("hash, size or preview are of another text than %.40q", raw)
	}
	return ""
}

// naiveRead reads the path without checks.
func naiveRead(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	n, err := f.Read(b)
	return b[:n], err
}

// swapOnce changes the target of the item's path. Errors are part of the race.
func swapOnce(h Home, own []string, secret string, how, which int) {
	plan, dir := h.PlanPath(agent, item), h.PlanDir(agent, item)
	temp := filepath.Join(dir, "temp")
	switch how {
	case 0, 1:
		os.WriteFile(temp, []byte(own[which]), 0o600)
		os.Rename(temp, plan)
	case 2: // within a page: the kernel shows a longer write page by page
		os.Remove(plan)
		os.WriteFile(plan, []byte(own[which%2]), 0o600)
	case 3:
		os.Symlink(secret, temp)
		os.Rename(temp, plan)
	case 4:
		os.Symlink("../wi-2/plan.md", temp)
		os.Rename(temp, plan)
	case 5:
		os.Link(secret, temp)
		os.Rename(temp, plan)
	case 6:
		syscall.Mkfifo(temp, 0o600)
		os.Rename(temp, plan)
	case 7:
		os.Rename(dir, dir+"-away")
		os.Symlink("wi-2", dir)
		os.Remove(dir)
		os.Rename(dir+"-away", dir)
	case 8:
		os.Rename(dir, dir+"-away")
		syscall.Mkfifo(dir, 0o600)
		os.Remove(dir)
		os.Rename(dir+"-away", dir)
	}
	os.Remove(temp)
}

func TestAPlanThatNeverStandsStillIsSaidToBeWritten(t *testing.T) {
	h := newHome(t)
	f, err := os.OpenFile(h.PlanPath(agent, item), os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	must(t, f.Truncate(4<<20))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := int64(0); ; i++ {
			select {
			case <-stop:
				return
			default:
				f.WriteAt([]byte{'x'}, i%(4<<20))
			}
		}
	})
	var got Plan
	for deadline := time.Now().Add(10 * time.Second); !got.Unsettled && time.Now().Before(deadline); {
		got = h.Plan(agent, item)
	}
	close(stop)
	wg.Wait()
	if !got.Unsettled || got.Condition != model.PlanUnreadable || got.Raw != nil || got.Hash != "" {
		t.Errorf("got %s, unsettled %v, %d raw bytes", got.Condition, got.Unsettled, len(got.Raw))
	}
	if got = h.Plan(agent, item); got.Unsettled || got.Bytes != 4<<20 {
		t.Errorf("afterwards: got %s, unsettled %v, %d bytes", got.Condition, got.Unsettled, got.Bytes)
	}
}
