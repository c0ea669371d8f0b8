package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
)

// Closed files of the copy are compressed with zstd in independent pieces, so that damage affects only one piece.
const (
	compressedSuffix = ".vj.zst"
	pieceSize        = 1 << 20
)

// pieceMark is the start of each piece.
var pieceMark = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Compress compresses the closed files that were not written for an age. It deletes a file only after its archive is on the disk.
func (j *Copy) Compress(ctx context.Context, age time.Duration) error {
	all, err := j.Files()
	if err != nil {
		return err
	}
	for _, f := range all {
		info, err := os.Lstat(f.Path)
		if err != nil || f.Live || !strings.HasSuffix(f.Path, closedSuffix) || j.Machine.Now().Sub(info.ModTime()) < age {
			continue
		}
		if err := cmp.Or(ctx.Err(), j.compressFile(f.Path)); err != nil {
			return fmt.Errorf("archive %s: %w", f.Path, err)
		}
	}
	return nil
}

func (j *Copy) compressFile(path string) error {
	from, err := files.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close()
	err = j.Machine.Replace(compressedOf(path), func(to *files.File) error {
		piece := make([]byte, pieceSize)
		for {
			n, err := io.ReadFull(from, piece)
			if n > 0 {
				if _, err := to.Write(kv.Pack(piece[:n], nil)); err != nil {
					return err
				}
			}
			switch {
			case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
				return nil
			case err != nil:
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	return j.Machine.Remove(path)
}

// compressedOf is the name of a closed file after compression.
func compressedOf(path string) string {
	return strings.TrimSuffix(path, closedSuffix) + compressedSuffix
}

// ReadFile reads the changes of a file, and the revision before them. whole is false if the file is not readable to its end or has no valid
// header; then all of the file is searched for changes.
func (j *Copy) ReadFile(f File) (after uint64, changes []byte, whole bool, err error) {
	raw, err := files.OpenRegular(f.Path, os.O_RDONLY)
	if files.IsGone(err) && strings.HasSuffix(f.Path, closedSuffix) {
		f.Path = compressedOf(f.Path) // compressed meanwhile
		raw, err = files.OpenRegular(f.Path, os.O_RDONLY)
	}
	if err != nil {
		if errors.As(err, new(*files.Irregular)) {
			err = nil
		}
		return 0, nil, false, err
	}
	defer raw.Close()
	b, whole := expand(f.Path, raw)
	h, err := parseHeader(b)
	if err != nil {
		return 0, b, false, nil
	}
	if j.Home != "" && h.home != j.Home {
		return h.after, nil, false, kv.Refuse(kv.RestoreHint, "%s is of another home (%s)", f.Path, model.Text(h.home))
	}
	return h.after, b[h.size:], whole, nil
}

// expand reads a file of the copy, compressed or not, as far as it is readable.
func expand(path string, in io.Reader) (b []byte, whole bool) {
	b, err := io.ReadAll(io.LimitReader(in, maxFile))
	whole = true
	if strings.HasSuffix(path, compressedSuffix) {
		b, whole = joinPieces(b)
	}
	return b, whole && err == nil
}

// joinPieces returns the content of a compressed file. whole is false if a piece is unreadable.
func joinPieces(b []byte) (out []byte, whole bool) {
	if out, err := kv.Unpack(b); err == nil {
		return out, true
	}
	for len(b) > 0 && len(out) < maxFile {
		end := len(b)
		if next := bytes.Index(b[1:], pieceMark); next >= 0 {
			end = next + 1
		}
		if piece, err := kv.Unpack(b[:end]); err == nil {
			out = append(out, piece...)
		}
		b = b[end:]
	}
	return out, false
}
