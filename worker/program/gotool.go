package program

import (
	"errors"
	"fmt"
	"slices"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/config"
)

// checkGoTool holds a tool written in Go to what a declaration is held to,
// so that its mistakes show when the worker starts and not in a run.
func checkGoTool(tool tools.Tool) error {
	if tool == nil {
		return errors.New("there is none")
	}
	s := tool.Spec()
	if err := config.CheckToolName(s.Name); err != nil {
		return err
	}
	for _, check := range []func(tools.Tool, tools.Spec) error{checkClass, checkSchema} {
		if err := check(tool, s); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if err := declared.CheckLimits(s); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

func checkClass(tool tools.Tool, s tools.Spec) error {
	_, finds := tool.(tools.Finder)
	switch {
	case s.Version == "":
		return errors.New("it has no version")
	case !slices.Contains(plan.DeliveryClasses(), s.Class):
		return fmt.Errorf("there is no delivery class %q", s.Class)
	case !slices.Contains(plan.Risks(), s.Risk):
		return fmt.Errorf("there is no risk %q", s.Risk)
	case s.Class == plan.Lookup && !finds:
		return errors.New("a tool of class lookup is a tools.Finder")
	case s.Class == plan.Keyed && s.KeyWindow <= 2*s.CallTimeout:
		return fmt.Errorf("its key window is %s; it must be longer than two calls, %s", s.KeyWindow, 2*s.CallTimeout)
	}
	return nil
}

func checkSchema(_ tools.Tool, s tools.Spec) error {
	canonical, err := plan.Canonicalize(s.Schema)
	if err != nil {
		return fmt.Errorf("its schema is %w", err)
	}
	if s.SchemaDigest != plan.Sum(canonical) {
		return errors.New("its schema digest is not that of its schema's canonical form (plan.Canonicalize, plan.Sum)")
	}
	return nil
}
