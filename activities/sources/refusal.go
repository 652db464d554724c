package sources

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// fault gives an error of a tree its class. who is the source, or the folder in
// it, as the reason names it.
func fault(who string, err error) error {
	problem, refused := errors.AsType[*folder.Problem](err)
	machine, unavailable := errors.AsType[*folder.Unavailable](err)
	switch {
	case err == nil:
		return nil
	case refused:
		return refuse(problem.Code, who+" "+problem.Reason)
	case unavailable:
		return &faults.Fault{Class: faults.Transient, Code: "source_unavailable", Reason: machine.Error(), Waits: true, Cause: err}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return faults.Name(err)
	default:
		return err
	}
}

// refuseOverlap keeps a document from being listed twice.
func refuseOverlap(selections []Selection) error {
	for i, a := range selections {
		for _, b := range selections[:i] {
			if a.Name == b.Name && (within(a.Path, b.Path) || within(b.Path, a.Path)) {
				return refuse("context_overlap", fmt.Sprintf(
					"the task names %s and %s, of which one lies in the other; name the outer one once, with globs", place(b), place(a)))
			}
		}
	}
	return nil
}

func within(inner, outer string) bool {
	outer = strings.TrimSuffix(outer, "/")
	return outer == "" || outer == "." || strings.TrimSuffix(inner, "/") == outer || strings.HasPrefix(inner, outer+"/")
}

// nothingRead says why a selection gave no document, and nil when it gave one.
func nothingRead(s Selection, entries []Entry) error {
	const shown = 3
	var examples []string
	for _, e := range entries {
		if e.Skipped == "" {
			return nil
		}
		if len(examples) < shown {
			examples = append(examples, plan.Escape(e.Path)+": "+e.Skipped)
		}
	}
	if len(entries) == 0 && len(s.Include)+len(s.Exclude) > 0 {
		return refuse("context_empty", place(s)+" has no file that the globs leave; correct include and exclude")
	}
	if len(entries) == 0 {
		return refuse("context_empty", place(s)+" holds no file; name a folder with documents ("+text.ClaimedFormats+")")
	}
	list := strings.Join(examples, "; ")
	if more := len(entries) - len(examples); more > 0 {
		list += fmt.Sprintf("; and %d more", more)
	}
	return refuse("context_empty", fmt.Sprintf("%s holds no document that can be read (%s); %s are read", place(s), list, text.ClaimedFormats))
}

func place(s Selection) string {
	if s.Path == "" || s.Path == "." {
		return whole(s)
	}
	return fmt.Sprintf("folder %q of %s", plan.Escape(s.Path), whole(s))
}

func whole(s Selection) string { return fmt.Sprintf("source %q", s.Name) }

func refuse(code, reason string) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: reason}
}
