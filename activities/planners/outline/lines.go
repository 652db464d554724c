package outline

import "sort"

// lineIndex holds the offsets at which the lines of a document begin.
type lineIndex []int

func indexLines(source string) lineIndex {
	index := lineIndex{0}
	for i := range len(source) {
		if source[i] == '\n' {
			index = append(index, i+1)
		}
	}
	return index
}

// at returns the number, from 1, of the line that holds an offset.
func (l lineIndex) at(offset int) int {
	return sort.SearchInts(l, offset+1)
}
