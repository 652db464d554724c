package object

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // it is S3's ETag, and guards nothing here
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/internal/s3answer"
)

// The user metadata that an object carries (x-amz-meta-…): the mark.
const (
	metaKey         = "Holdpoint-Key"
	metaFingerprint = "Holdpoint-Fingerprint"
)

// bucket is a bucket of an S3-compatible store.
type bucket struct {
	core      minio.Core
	host      string // of the endpoint, for people
	name      string
	transport *http.Transport
}

var _ store = (*bucket)(nil)

func newBucket(s *settings, at place) (*bucket, error) {
	endpoint, err := url.Parse(s.Endpoint)
	if err != nil {
		return nil, at.fail("endpoint", "must be https://host or https://host:port")
	}
	b := &bucket{host: endpoint.Host, name: s.Bucket}
	if b.transport, err = newTransport(s, at); err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupAuto
	if s.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: newCredentials(s), Secure: endpoint.Scheme == "https", Region: s.Region, BucketLookup: lookup,
		Transport:  b.transport,
		MaxRetries: 1, // whether a write may be sent again is not the client's to say
	})
	if err != nil {
		return nil, at.fail("endpoint", "cannot be used")
	}
	b.core = minio.Core{Client: client}
	return b, nil
}

func (b *bucket) where(name string) string { return b.name + "/" + name + " at " + b.host }

func (b *bucket) close() error {
	b.transport.CloseIdleConnections()
	return nil
}

// look implements store. It reads the object itself, because the answer to a
// HEAD does not tell a bucket that is missing from an object that is.
func (b *bucket) look(ctx context.Context, w write) (current, error) {
	body, info, _, err := b.core.GetObject(ctx, b.name, w.name, minio.GetObjectOptions{})
	if s3answer.IsMissing(err) {
		return current{state: absent}, nil
	}
	if err != nil {
		return current{}, b.readFault(err)
	}
	defer body.Close()
	now := current{state: state(info), fingerprint: markIn(info).fingerprint, asWanted: info.ETag == etagOf(w.content), size: info.Size}
	if info.Size <= maxShown {
		if now.head, err = io.ReadAll(io.LimitReader(body, maxShown)); err != nil {
			return current{}, b.readFault(err)
		}
	}
	return now, nil
}

// state is what a precondition compares. The ETag of most stores is a digest
// of the content alone: who puts back what was there before makes the same one.
// So the time of the write is a part of the state too, and the version where
// there is one.
func state(info minio.ObjectInfo) string {
	s := fmt.Sprintf("etag %s of %s", info.ETag, info.LastModified.UTC().Format(time.RFC3339))
	if version := versionOf(info.VersionID); version != "" {
		s += ", version " + version
	}
	return s
}

// versionOf is the version's id; a bucket whose versions are suspended says "null".
func versionOf(id string) string {
	if id == "null" {
		return ""
	}
	return id
}

// create implements store.
func (b *bucket) create(ctx context.Context, w write) (declared.Effect, error) {
	var options minio.PutObjectOptions
	options.SetMatchETagExcept("*") // If-None-Match: *, RFC 9110, section 13.1.2
	return b.put(ctx, w, options)
}

// replace implements store. Our own write is looked for first: after it, the
// object is not as the plan expects because of us, or it is, when a later plan
// was made upon it.
func (b *bucket) replace(ctx context.Context, w write) (declared.Effect, error) {
	info, err := b.stat(ctx, w.name)
	switch {
	case s3answer.IsMissing(err):
		return b.changed(ctx, w)
	case err != nil:
		return declared.Effect{}, b.readFault(err)
	case state(info) != w.call.Action.Precondition, markIn(info).key == w.mark.key, info.ETag == etagOf(w.content):
		return b.judge(ctx, w, info)
	}
	if err := w.call.Allowed(ctx); err != nil {
		return declared.Effect{}, err
	}
	var options minio.PutObjectOptions
	options.SetMatchETag(info.ETag) // If-Match, RFC 9110, section 13.1.1
	return b.put(ctx, w, options)
}

// put makes the one conditional write. When the store refuses the condition,
// the object says whether we are the reason.
func (b *bucket) put(ctx context.Context, w write, options minio.PutObjectOptions) (declared.Effect, error) {
	options.ContentType, options.SendContentMd5, options.DisableMultipart = w.contentType, true, true
	options.UserMetadata = map[string]string{metaKey: w.mark.key, metaFingerprint: w.mark.fingerprint}
	watched, connected := watch(ctx)
	info, err := b.core.Client.PutObject(watched, b.name, w.name, bytes.NewReader(w.content), int64(len(w.content)), options)
	switch {
	case err == nil:
		return b.effect(w, info.ETag, info.VersionID, time.Now(), "written"), nil
	case s3answer.IsRefused(err), w.call.Action.Precondition != absent && s3answer.IsMissing(err):
		// Amazon S3 answers If-Match on an object that is gone with 404
		// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
		return b.refused(ctx, w)
	default:
		return declared.Effect{}, b.writeFault(err, connected())
	}
}

// refused finds out why the store refused the condition.
func (b *bucket) refused(ctx context.Context, w write) (declared.Effect, error) {
	info, err := b.stat(ctx, w.name)
	switch {
	case s3answer.IsMissing(err):
		return b.changed(ctx, w)
	case err != nil:
		return declared.Effect{}, b.unseen(err)
	default:
		return b.judge(ctx, w, info)
	}
}

// judge says what an object means that is not as the plan expects, or already
// as it should become. One with the same content has the same ETag in most
// stores: they could not tell a second write from the first, and there is
// nothing to write.
func (b *bucket) judge(ctx context.Context, w write, info minio.ObjectInfo) (declared.Effect, error) {
	switch {
	case markIn(info).key == w.mark.key:
		return b.ours(w, info)
	case info.ETag == etagOf(w.content):
		return b.effect(w, info.ETag, info.VersionID, info.LastModified, "has this content already"), nil
	default:
		return b.changed(ctx, w)
	}
}

// ours is an object that this key wrote.
func (b *bucket) ours(w write, info minio.ObjectInfo) (declared.Effect, error) {
	if markIn(info) != w.mark {
		return declared.Effect{}, conflict(b.where(w.name))
	}
	return b.effect(w, info.ETag, info.VersionID, info.LastModified, "written by an earlier attempt"), nil
}

// changed is an object that is neither as the plan expects nor ours. Without
// an earlier attempt in doubt nothing of ours was ever there. With one, only
// the versions of the object can still show it.
func (b *bucket) changed(ctx context.Context, w write) (declared.Effect, error) {
	if !w.call.InDoubt {
		return declared.Effect{}, drifted(b.where(w.name))
	}
	info, err := b.among(ctx, w)
	switch {
	case err != nil:
		return declared.Effect{}, b.unseen(err)
	case info == nil:
		return declared.Effect{}, unknown(b.where(w.name))
	default:
		return b.ours(w, *info)
	}
}

// count implements store.
func (b *bucket) count(ctx context.Context, w write) (int, error) {
	info, err := b.stat(ctx, w.name)
	switch {
	case s3answer.IsMissing(err):
		return 0, nil
	case err != nil:
		return 0, b.readFault(err)
	case markIn(info).key == w.mark.key:
		return 1, nil
	default:
		return 0, nil
	}
}

func (b *bucket) stat(ctx context.Context, name string) (minio.ObjectInfo, error) {
	return b.core.StatObject(ctx, b.name, name, minio.StatObjectOptions{})
}

func (b *bucket) effect(w write, etag, version string, at time.Time, how string) declared.Effect {
	ref := "etag " + etag
	if version = versionOf(version); version != "" {
		ref = "version " + version
	}
	return declared.Effect{Ref: ref, Detail: b.where(w.name) + " " + how, At: at}
}

func markIn(info minio.ObjectInfo) mark {
	return mark{key: info.UserMetadata[metaKey], fingerprint: info.UserMetadata[metaFingerprint]}
}

func etagOf(content []byte) string {
	sum := md5.Sum(content) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}
