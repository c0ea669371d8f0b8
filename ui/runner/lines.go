package runner

import (
	"bufio"
	"errors"
	"io"
)

// maxLine bounds a line of a program's output; tool results of agents come in one.
const maxLine = 8 << 20

var errLongLine = errors.New("a line is too long")

// eachLine calls take with every line of r, without its end. One that is too long is
// skipped and reported to take as an error. It returns the error of reading, nil at the end.
func eachLine(r io.Reader, take func(line []byte, err error)) error {
	b := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	long := false
	for {
		part, err := b.ReadSlice('\n')
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch {
		case long:
			take(nil, errLongLine)
		case whole || len(line) > 0:
			take(line, nil)
		}
		line, long = line[:0], false
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
