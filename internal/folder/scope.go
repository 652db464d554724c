package folder

import "strings"

// Scope is the part of a tree of files that somebody asks for: a folder in it,
// and what the globs leave of that.
type Scope struct {
	folder           []string // the components of the folder's path; none for the root
	prefix           string   // of the folder, with its slash
	include, exclude Globs
}

// NewScope reads a scope. path is a folder below the root in the form of
// [EscapePath], "" for the root itself. Include and exclude are globs relative
// to it (see [Globs]): without include every file is included, and exclude
// wins. The error is a *Problem of code codePath or codeGlob.
func NewScope(path string, include, exclude []string) (Scope, error) {
	components, err := folderPath(path)
	if err != nil {
		return Scope{}, &Problem{codePath, err.Error()}
	}
	in, err := ParseGlobs(include)
	if err != nil {
		return Scope{}, &Problem{codeGlob, "include: " + err.Error()}
	}
	out, err := ParseGlobs(exclude)
	if err != nil {
		return Scope{}, &Problem{codeGlob, "exclude: " + err.Error()}
	}
	s := Scope{folder: components, include: in, exclude: out}
	if len(components) > 0 {
		s.prefix = strings.Join(components, "/") + "/"
	}
	return s, nil
}

// Folder is the raw path of the scope's folder, "" for the root.
func (s Scope) Folder() string { return strings.TrimSuffix(s.prefix, "/") }

// Holds reports whether a file is in scope. path is raw and relative to the
// root.
func (s Scope) Holds(path string) bool {
	path, below := strings.CutPrefix(path, s.prefix)
	return below && (len(s.include) == 0 || s.include.Match(path)) && !s.exclude.Match(path)
}

// enters reports whether a folder may hold files in scope.
func (s Scope) enters(path string) bool {
	return !s.exclude.Match(strings.TrimPrefix(path, s.prefix))
}
