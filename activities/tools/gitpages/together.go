package gitpages

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Together implements tools.Companion: no page twice, none below another page,
// and no page or folder whose name another action spells in another way. The
// repository takes the second of two such names for the first one when it is
// carried out (see pick), and where names are equal up to case or to how letters
// are composed, as on macOS and Windows, a checkout has one file for both.
func (t *Tool) Together(actions []plan.Action) (id string, err error) {
	paths := map[string]taken{} // by the repository and the folded path in it
	for _, action := range actions {
		if err := claim(paths, action); err != nil {
			return action.ID, err
		}
	}
	return "", nil
}

// taken is a path that an action needs.
type taken struct {
	by   string // the first action's id
	path string // as it spells it
	page bool   // and no folder on the way to one
}

// claim takes the path of an action's page, and of every folder on the way to it.
func claim(all map[string]taken, action plan.Action) error {
	repository, page, _ := strings.Cut(action.Target, "/")
	names := strings.Split(page, "/")
	for i := range names {
		wanted := taken{by: action.ID, path: strings.Join(names[:i+1], "/"), page: i == len(names)-1}
		key := repository + "/" + foldPath(wanted.path)
		first, is := all[key]
		if !is {
			all[key] = wanted
			continue
		}
		if err := first.beside(wanted); err != nil {
			return err
		}
	}
	return nil
}

// beside is why an action cannot need a path that another one has already taken.
func (first taken) beside(wanted taken) error {
	path, other := gitcli.Quote(wanted.path), gitcli.Quote(first.path)
	switch {
	case wanted.page && first.page && wanted.path == first.path:
		return permanent(codePagePlace, "%s is written by action %.64q already", path, first.by)
	case wanted.path != first.path:
		return permanent(codePageCase, "%s differs from %s, which action %.64q writes, only in case or in how letters are composed", path, other, first.by)
	case first.page:
		return permanent(codePagePlace, "%s is a page of action %.64q, so no page can be below it", path, first.by)
	case wanted.page:
		return permanent(codePagePlace, "%s is a folder with a page of action %.64q in it, so it cannot be a page", path, first.by)
	default:
		return nil
	}
}

// foldPath is one spelling of all that are equal up to case (as strings.EqualFold
// has it) and composition (Unicode Normalization Form C).
func foldPath(path string) string {
	return norm.NFC.String(strings.Map(foldRune, norm.NFC.String(path)))
}

// foldRune is the smallest of the letters that are equal but for their case.
func foldRune(r rune) rune {
	smallest := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		smallest = min(smallest, next)
	}
	return smallest
}
