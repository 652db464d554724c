package object

import (
	"context"

	"github.com/minio/minio-go/v7"

	"github.com/holdpoint/holdpoint/internal/s3answer"
)

// maxVersions bounds how many versions of an object are looked through.
const maxVersions = 200

// among looks for the version that the key wrote, and returns nil when it is
// not there, or when the store keeps no versions. A listing has no user
// metadata, so each version is asked for.
func (b *bucket) among(ctx context.Context, w write) (*minio.ObjectInfo, error) {
	ctx, cancel := context.WithCancel(ctx) // a listing that is left goes on until then
	defer cancel()
	seen := 0
	for version := range b.core.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: w.name, Recursive: true, WithVersions: true}) {
		switch seen++; {
		case keepsNone(version.Err):
			return nil, nil //nolint:nilnil // nothing was found, and nothing went wrong
		case version.Err != nil:
			return nil, version.Err
		case seen > maxVersions, version.Key > w.name:
			return nil, nil //nolint:nilnil // as above
		case version.Key != w.name, version.IsDeleteMarker, versionOf(version.VersionID) == "":
			continue
		}
		info, err := b.core.StatObject(ctx, b.name, w.name, minio.StatObjectOptions{VersionID: version.VersionID})
		if s3answer.IsMissing(err) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		if markIn(info).key == w.mark.key {
			return &info, nil
		}
	}
	return nil, nil //nolint:nilnil // as above
}
