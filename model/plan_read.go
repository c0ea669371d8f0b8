package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func isText(raw []byte) bool { return utf8.Valid(raw) && bytes.IndexByte(raw, 0) < 0 }

// preview cuts raw after PreviewRunes scalars and says whether that was all.
func preview(raw []byte) (Text, bool) {
	end, n := 0, 0
	for end < len(raw) && n < PreviewRunes {
		_, size := utf8.DecodeRune(raw[end:])
		end += size
		n++
	}
	return Text(raw[:end]), end == len(raw)
}
