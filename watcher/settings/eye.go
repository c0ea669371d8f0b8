// Package settings tells a door when the operator's configuration, or a theme beside it,
// may have changed: saved by an editor, linked elsewhere, made or removed.
//
// Events of the file system are hints: each one only makes the eye compare again, when it
// has been quiet for a moment. Independent of events a sweep compares every few seconds; a
// file that a link leads to is found by it alone.
package settings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The eye's times: what an editor needs to write a file in several steps, and how long a
// change may go unseen that no event told of.
const (
	quiet      = 100 * time.Millisecond
	sweepEvery = 5 * time.Second
	pollEvery  = 2 * time.Second // instead of sweepEvery, without events
)

// maxThemes bounds the files of the themes' directory that are looked at.
const maxThemes = 200

// ErrClosed is what Next returns once the eye has ended.
var ErrClosed = errors.New("the eye on the settings is closed")

// Eye watches one configuration file and one directory of themes. Next is for one caller
// at a time.
type Eye struct {
	file, themes string
	// news is a level: any number of changes that Next has not told are one.
	news  chan struct{}
	stop  context.CancelFunc
	ended chan struct{}
}

// Watch watches until ctx ends or Close is called. Neither path need exist. What is there
// already is no news.
func Watch(ctx context.Context, file, themes string) *Eye {
	ctx, stop := context.WithCancel(ctx)
	e := &Eye{file: file, themes: themes, news: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	seen := e.print()
	go e.run(ctx, seen)
	return e
}

// Next waits until something may have changed. It returns ctx's error, or ErrClosed.
func (e *Eye) Next(ctx context.Context) error {
	select {
	case <-e.news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.ended:
		return ErrClosed
	}
}

// Close ends the eye and waits until it has.
func (e *Eye) Close() {
	e.stop()
	<-e.ended
}

func (e *Eye) run(ctx context.Context, seen string) {
	defer close(e.ended)
	h := listen()
	defer h.close()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	if h.w == nil {
		sweep.Reset(pollEvery)
	}
	var settle <-chan time.Time
	for {
		h.follow(e.dirs())
		if now := e.print(); settle == nil && now != seen {
			seen = now
			select {
			case e.news <- struct{}{}:
			default:
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-h.events:
			if settle == nil {
				settle = time.After(quiet)
			}
		case <-h.trouble: // events may have been lost
			settle = time.After(quiet)
		case <-settle:
			settle = nil
		case <-sweep.C:
		}
	}
}

// dirs are the directories in which a change matters; of those that are not there, the
// nearest above that is.
func (e *Eye) dirs() []string {
	var out []string
	for _, d := range []string{filepath.Dir(e.file), e.themes} {
		for d != filepath.Dir(d) {
			if info, err := os.Stat(d); err == nil && info.IsDir() {
				break
			}
			d = filepath.Dir(d)
		}
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// print differs between two states of the files, as far as size, times and identity tell.
func (e *Eye) print() string {
	var b strings.Builder
	b.WriteString(printOf(e.file))
	d, err := os.Open(e.themes)
	if err != nil {
		return b.String()
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxThemes)
	slices.Sort(names)
	for _, n := range names {
		b.WriteString(n + printOf(filepath.Join(e.themes, n)))
	}
	return b.String()
}

func printOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Sprint(errors.Is(err, os.ErrNotExist)) + ";"
	}
	return fmt.Sprintf("%d %d %v;", info.Size(), info.ModTime().UnixNano(), info.Mode())
}

// hints are the file system's events, or nothing where there are none.
type hints struct {
	w       *fsnotify.Watcher
	events  <-chan fsnotify.Event
	trouble <-chan error
}

func listen() *hints {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return &hints{}
	}
	return &hints{w: w, events: w.Events, trouble: w.Errors}
}

func (h *hints) close() {
	if h.w != nil {
		_ = h.w.Close()
	}
}

// follow watches the directories. It lets none go: there are few of them, and Remove of a
// directory that has moved waits for ever in fsnotify 1.10.
func (h *hints) follow(dirs []string) {
	if h.w == nil {
		return
	}
	for _, d := range dirs {
		_ = h.w.Add(d) // again after the directory was made anew; else it changes nothing
	}
}
