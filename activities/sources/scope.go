package sources

import "strings"

// scope is what a selection's globs leave.
type scope struct {
	prefix           string // of the selection's folder, with its slash
	include, exclude Globs
}

func newScope(s Selection) (scope, error) {
	components, err := folderPath(s.Path)
	if err != nil {
		return scope{}, refuse("context_path_invalid", err.Error())
	}
	include, err := ParseGlobs(s.Include)
	if err != nil {
		return scope{}, refuse("glob_invalid", "include: "+err.Error())
	}
	exclude, err := ParseGlobs(s.Exclude)
	if err != nil {
		return scope{}, refuse("glob_invalid", "exclude: "+err.Error())
	}
	sc := scope{include: include, exclude: exclude}
	if len(components) > 0 {
		sc.prefix = strings.Join(components, "/") + "/"
	}
	return sc, nil
}

// holds reports whether a file is in scope. path is raw, relative to the root.
func (s scope) holds(path string) bool {
	path = strings.TrimPrefix(path, s.prefix)
	return (len(s.include) == 0 || s.include.Match(path)) && !s.exclude.Match(path)
}

// enters reports whether a folder may hold files in scope.
func (s scope) enters(path string) bool {
	return !s.exclude.Match(strings.TrimPrefix(path, s.prefix))
}
