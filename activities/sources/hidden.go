package sources

import (
	"strings"

	"github.com/holdpoint/holdpoint/internal/folder"
)

// HiddenFolders hands items on to Visit, and makes one item of all that lies in
// one folder whose name begins with a dot, as the list of a folder of this
// machine has it. It is for trees that are lists of paths.
type HiddenFolders struct {
	// Within is the raw path of the folder that is listed: who names a hidden one
	// wants what is in it.
	Within string
	Visit  func(Item) error

	open Item // the hidden folder that the items are in
}

// Add takes an item and its raw path. The paths come in bytewise order.
func (h *HiddenFolders) Add(raw string, item Item) error {
	at := h.hiddenFolder(raw)
	if at == 0 || at == len(raw) && item.Skipped != "" {
		if err := h.End(); err != nil {
			return err
		}
		return h.Visit(item)
	}
	if path := folder.EscapePath(raw[:at]); h.open.Path != path {
		if err := h.End(); err != nil {
			return err
		}
		h.open = Item{Path: path, Skipped: "hidden folder"}
	}
	if isFolder(item.Path) {
		h.open.Files += item.Files
	} else {
		h.open.Files++
	}
	return nil
}

// End hands on what is still held.
func (h *HiddenFolders) End() error {
	if h.open.Path == "" {
		return nil
	}
	item := h.open
	h.open = Item{}
	return h.Visit(item)
}

// hiddenFolder returns the length of the path of the first hidden folder that
// raw lies in, with its slash; 0 for none.
func (h *HiddenFolders) hiddenFolder(raw string) int {
	at := 0
	if below, inside := strings.CutPrefix(raw, h.Within+"/"); inside && h.Within != "" {
		at = len(raw) - len(below)
	}
	for {
		name, rest, isFolder := strings.Cut(raw[at:], "/")
		switch {
		case !isFolder:
			return 0
		case strings.HasPrefix(name, ".") && name != "." && name != "..": // which are no names
			return len(raw) - len(rest)
		}
		at = len(raw) - len(rest)
	}
}
