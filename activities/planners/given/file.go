package given

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/planfile"
)

// find returns the one document that holds actions: one that was handed in with
// the task, else one of all.
func find(documents []planners.Document) (planners.Document, error) {
	var found []planners.Document
	for _, d := range documents {
		if base := path.Base(d.Path); base == planfile.JSON.Name() || base == planfile.YAML.Name() {
			found = append(found, d)
		}
	}
	isHandedIn := func(d planners.Document) bool { return d.Source == planfile.Source }
	if slices.ContainsFunc(found, isHandedIn) {
		found = slices.DeleteFunc(found, func(d planners.Document) bool { return !isHandedIn(d) })
	}
	switch {
	case len(found) == 0:
		return planners.Document{}, refuse("no_actions", "none of the task's %d documents is named actions.json or actions.yaml", len(documents))
	case len(found) > 1:
		return planners.Document{}, refuse("ambiguous_actions", "%d documents hold actions, among them %s and %s: name one of them in the task's context",
			len(found), nameOf(found[0]), nameOf(found[1]))
	}
	return found[0], nil
}

// nameOf is a document's name for people, in one line.
func nameOf(d planners.Document) string { return plan.Escape(plan.Clip(actions.Name(d), 200)) }

// read reads the document strictly. It looks at the bytes, and not at the text
// that was made of them: what had to be repaired is not what was handed in.
func read(ctx context.Context, d planners.Document) (*planfile.File, error) {
	data := []byte(d.Text)
	if d.Bytes != nil {
		var err error
		if data, err = d.Bytes(ctx); err != nil {
			return nil, err
		}
	}
	format, _ := planfile.FormatOf(d.Path)
	file, err := planfile.Read(nameOf(d), format, data)
	if err != nil {
		return nil, refuse("bad_actions", "%s", err)
	}
	return file, nil
}

// misread is what package actions found in the file, as a fault with its place.
func misread(file *planfile.File, err error) error {
	problem, ok := errors.AsType[*actions.Problem](err)
	if !ok {
		return refuse("bad_actions", "%s: the file cannot be checked", file.Place())
	}
	return refuse("bad_actions", "%s: %s", file.Place(problem.At...), problem)
}
