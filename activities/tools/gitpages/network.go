package gitpages

// pushSettings keep curl from sending a push twice: it repeats a request on a
// connection of an earlier one when that turns out to be closed, and cannot know
// whether the request had arrived. So each request gets a connection of its own.
var pushSettings = []string{
	"-c", "http.version=HTTP/1.1",
	"-c", "http.extraHeader=Connection: close",
}
