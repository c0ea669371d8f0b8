package files

import (
	"fmt"
	"os"
)

// ReadSmall reads a file of the home's own state, which anybody may have replaced: it is a
// regular file, no link or pipe, of at most so many bytes, or it is an error.
func ReadSmall(path string, most int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is no regular file of at most %d bytes", path, most)
	}
	return os.ReadFile(path)
}
