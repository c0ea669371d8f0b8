//go:build !race

package fire

const raced = "-race=false"
