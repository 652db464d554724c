package gitsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// links finds out where the links of a commit lead, which is all that is done
// with them. Git follows links itself (cat-file --follow-symlinks), and takes
// "./a.md" for dangling.
type links struct {
	git    gitcli.Git
	commit string
	ids    map[string]string    // of what the links hold, by path; nil before the first is asked about
	bytes  int                  // of those paths
	talk   *gitcli.Conversation // started with the first link
}

// What a link leads to, in the words that a folder of this machine has for it.
const (
	linkInside   = "link inside the root"
	linkOutside  = "link leaves the root"
	linkLoop     = "link loop"
	linkDangling = "dangling link"
)

// Limits of following one link: those of Linux (path_resolution(7)), and of the
// names on the way, so that links made to cost time cost little.
const (
	maxFollowed = 40
	maxSteps    = 256
	maxPath     = 4095 // bytes
	// maxLinkBytes bounds the paths of links that are kept in memory. One beyond it
	// is followed no further on the way of another one.
	maxLinkBytes = 16 << 20
)

// leads says where the link at path leads.
func (l *links) leads(ctx context.Context, path string) (string, error) {
	if l.ids == nil {
		if err := l.start(ctx); err != nil {
			return "", err
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	w := way{rest: strings.Split(path, "/")}
	for range maxSteps {
		switch {
		case len(w.rest) == 0:
			return l.whetherThere(w.at)
		case !w.step():
			return linkOutside, nil
		case len(w.at) > maxPath:
			return linkDangling, nil
		}
		id, isLink := l.ids[w.at]
		if !isLink {
			continue
		}
		target, err := l.target(id)
		switch {
		case err != nil:
			return "", err
		case strings.HasPrefix(target, "/"):
			return linkOutside, nil
		case target == "" || len(target) > maxPath:
			return linkDangling, nil
		case w.followed == maxFollowed:
			return linkLoop, nil
		}
		w.follow(target)
	}
	return linkLoop, nil
}

// way is how far a link was followed.
type way struct {
	at       string // the path so far, without links; "" for the root
	rest     []string
	followed int // links
}

// step takes the next name, and reports whether it stays below the root.
func (w *way) step() bool {
	name := w.rest[0]
	w.rest = w.rest[1:]
	switch {
	case name == "" || name == ".":
	case name == "..":
		if w.at == "" {
			return false
		}
		w.up()
	case w.at == "":
		w.at = name
	default:
		w.at += "/" + name
	}
	return true
}

func (w *way) up() { w.at = w.at[:max(strings.LastIndexByte(w.at, '/'), 0)] }

// follow goes on with what the link at the end of the path holds.
func (w *way) follow(target string) {
	w.up()
	w.rest = append(strings.Split(target, "/"), w.rest...)
	w.followed++
}

// start notes which paths of the commit are links.
func (l *links) start(ctx context.Context) (err error) {
	l.ids = map[string]string{}
	if err := l.git.Into(ctx, &modes{take: l.add}, nil, "ls-tree", "-r", "-z", "--full-tree", l.commit); err != nil {
		return err
	}
	l.talk, err = l.git.Talk(ctx, "cat-file", "--batch-command", "-z")
	return err
}

func (l *links) add(mode, id, path string) {
	if mode == modeLink && l.bytes < maxLinkBytes {
		l.ids[path] = id
		l.bytes += len(path)
	}
}

// target returns what a link holds; of one that is too long, nothing.
func (l *links) target(id string) (string, error) {
	if _, err := io.WriteString(l.talk.In, "contents "+id+"\x00"); err != nil {
		return "", err
	}
	header, err := l.talk.Out.ReadString('\n')
	if err != nil {
		return "", err
	}
	var size int
	if _, err := fmt.Sscanf(header, id+" blob %d\n", &size); err != nil || size < 0 {
		return "", errAnswer
	}
	if size > maxPath {
		_, err := l.talk.Out.Discard(size + 1)
		return "", err
	}
	data := make([]byte, size+1)
	_, err = io.ReadFull(l.talk.Out, data)
	return string(data[:size]), err
}

// whetherThere says whether something is at a path of the commit. The answer is
// "<id> <type> <size>", or "<name> missing" with all that the name holds.
func (l *links) whetherThere(path string) (string, error) {
	name := l.commit + ":" + path
	if _, err := io.WriteString(l.talk.In, "info "+name+"\x00"); err != nil {
		return "", err
	}
	word, err := l.talk.Out.ReadString(' ')
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(word, l.commit+":") {
		_, err := l.talk.Out.Discard(len(name) + len(" missing\n") - len(word))
		return linkDangling, err
	}
	_, err = l.talk.Out.ReadString('\n')
	return linkInside, err
}

func (l *links) close() {
	if l.talk != nil {
		_ = l.talk.Close() // it was only asked
	}
}

// modes takes what ls-tree -r -z writes, entry by entry.
type modes struct {
	take func(mode, id, path string)
	rest []byte
}

func (m *modes) Write(p []byte) (int, error) {
	m.rest = append(m.rest, p...)
	for {
		entry, after, whole := bytes.Cut(m.rest, []byte{0})
		if !whole {
			break
		}
		m.rest = after
		meta, path, _ := strings.Cut(string(entry), "\t")
		if fields := strings.Fields(meta); len(fields) == 3 {
			m.take(fields[0], fields[2], path)
		}
	}
	if len(m.rest) > maxEntry {
		return 0, errAnswer
	}
	return len(p), nil
}

// errAnswer says that git is not what this package was made for.
var errAnswer = errors.New("git answered something else than was asked")
