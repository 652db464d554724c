// Package gitpages is the tool that writes a knowledge base: a Git repository
// of Markdown pages, here or at a remote, one commit for each action.
//
// # How a second effect is kept out
//
// The class is conditional. The branch and the marker refs/holdpoint/<key>
// move in one ref transaction, which creates the marker and so is refused when
// the marker exists:
//
//	start
//	update refs/heads/main <new commit> <head that was read>
//	create refs/holdpoint/<key> <new commit>
//	prepare
//	commit
//
// Whoever comes second with the same key, in this process or another, reads
// the marker and returns the receipt of the commit that it names. Whoever
// loses only the branch, to another page or to a person, looks at the new head
// again: the same page there means a new commit on top, another page there
// means drift. The transaction is spelled out with start and commit because
// without them Git carries out, at the end of its input, whatever it has been
// given so far, which is half a transaction when the writer dies.
//
// # What a machine crash can leave
//
// A worker that is killed leaves its git child running, which ends the
// transaction or not; the next attempt reads which. Git's own promise ends
// with the machine, or with the container, where everything is killed at once:
// it takes all locks, then renames them into place one after the other (the
// branch first, in the versions tried), so that one ref can have moved and the
// other not. Both halves are mended by the next attempt:
//
//   - marker but not branch: when the branch still stands on the commit's
//     parent it is moved forward; otherwise the page is written anew on the
//     present head and the marker follows by compare-and-set;
//   - branch but not marker: the history is searched for the key's trailer
//     before anything is written, and the marker is set on what is found.
//
// The search is of the whole history, whoever moved the branch since and
// however long ago: markers also get lost when a repository moves to another
// host, and a page that stands as it did before may have been written and taken
// back. Reading 20,000 commits takes a fifth of a second, so they are read once:
// each process remembers the keys that it has seen and from then on reads what
// is new, which takes a millisecond.
//
// A lock file that such a crash left is never removed here, because a process
// that is only paused may still own it: after [Options.Patience] the action
// stops for now with a transient fault that names the file. Objects and refs
// are flushed to the disk before the transaction reports success.
//
// # A remote
//
// With a remote the effect is at the remote, and the repository here is a cache
// of its commits: each call asks the remote for the two refs (ls-remote) and
// fetches what the cache lacks. The transaction is one push,
//
//	git push --atomic \
//	  --force-with-lease=refs/heads/main:<head that was read> \
//	  --force-with-lease=refs/holdpoint/<key>: \
//	  <new commit>:refs/heads/main <new commit>:refs/holdpoint/<key>
//
// whose leases the remote compares again under its own locks; the branch only
// ever moves from a commit to its child. What follows a push depends on what is
// known of it:
//
//	what git reports                             what follows
//	-------------------------------------------  ---------------------------------
//	done                                         the receipt
//	a ref stood elsewhere, or is locked          a new look: our key, the page, a
//	                                             push on the new head
//	no connection, no permission, no --atomic    the fault: nothing was sent
//	a hook or a rule declined                    one look, then the fault
//	no answer: time out, hang-up, kill, HTTP 5xx one look; our key is the receipt,
//	                                             else an unknown fault, and no push
//
// That a look does not find the key proves nothing: the remote may still be in
// a hook, and the push may land later. The next attempt pushes on the head that
// it reads, and at most one of the two can move the branch from there. Drift is
// certain all the same: a page that changed means a head that moved, so a push
// that expects the old head is refused. The same holds where a remote takes the
// branch without the marker, as Git does when the marker's name is hidden there
// (receive.hideRefs): the search of the history covers for the marker.
//
// A page that is as wanted gets a marker alone, which may land late as well. It
// stands for a plan that was made for that very page, and for no later one.
//
// # The work tree
//
// A repository with a work tree stays one that a person opens, reads and edits.
// Commits are made with a temporary index, never through the work tree, so
// unsaved work there neither enters a commit nor stops one. Afterwards the
// page, and only it, is brought up to date, in the index and as a file, and
// only where it still is what was committed before. A file with edits of its
// own is left alone, and "git status" then shows it as modified against the
// new head. So is everything while another branch is checked out.
//
// This part is best effort and changes no result. A worker that is killed
// before it leaves an index that lags behind the head: "git status" shows the
// page as a staged change, a person's next commit would take the page back,
// and "git restore --staged --worktree PAGE" brings it up to date. The
// action's next attempt does the same.
//
// # Trust
//
// No hook, external diff, system or user configuration runs here. Git speaks
// with a remote by the one transport of its address, follows no redirect, asks
// nobody anything, and runs the credential helper that the configuration names.
// What a remote's hooks print reaches no error.
//
// A page's path cannot leave the repository or reach .git in any spelling;
// links and submodules on the way to a page are refused in the tree and in the
// work tree, when the plan is made and again when it is carried out.
package gitpages
