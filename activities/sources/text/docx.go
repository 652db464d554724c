package text

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"path"
	"strings"
)

// Limits of a DOCX, in bytes after unpacking. A zip can pack a thousand bytes
// into one, so nothing in it says how large a part is.
const (
	maxDocument = 16 << 20 // the body, and the notes: a thousand pages
	maxSetup    = 8 << 20  // styles and relations
	maxMembers  = 10_000
	maxElements = 500_000 // of all parts that are read
)

// memberMark begins each entry of an archive's directory (APPNOTE.TXT, 4.3.12).
const memberMark = "PK\x01\x02"

// Parts of a package are found by relation type (ECMA-376 part 1, 15.2), of
// which the transitional and the strict form end alike.
const officeDocument = "/relationships/officeDocument"

// docx is an opened package.
type docx struct {
	ctx     context.Context //nolint:containedctx // a docx lives within one call of readDOCX
	members map[string]*zip.File
	left    int // elements that may still be read
	dropped int // texts of vocabularies that Word does not understand
}

func readDOCX(ctx context.Context, data []byte) Decoded {
	d, err := openDOCX(ctx, data)
	if err != nil {
		return problem("DOCX that cannot be read: " + err.Error())
	}
	text, hidden, err := d.text()
	if err != nil {
		return problem("DOCX that cannot be read: " + err.Error())
	}
	return Decoded{Text: text, Hidden: hidden}
}

func openDOCX(ctx context.Context, data []byte) (*docx, error) {
	d := &docx{ctx: ctx, members: map[string]*zip.File{}, left: maxElements}
	if bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")) { // a compound file, MS-CFB
		return nil, errors.New("it is encrypted, or written by a Word before 2007")
	}
	// Before the directory is read, of which each member takes ten times as much.
	if bytes.Count(data, []byte(memberMark)) > maxMembers {
		return nil, errors.New("its archive has more than 10,000 members")
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.New("it is no zip archive")
	}
	for _, f := range archive.File {
		name := strings.ToLower(strings.TrimPrefix(f.Name, "/")) // names are compared so (ECMA-376 part 2)
		if d.members[name] != nil {
			return nil, errors.New("its archive has two members of one name")
		}
		d.members[name] = f
	}
	return d, nil
}

// text returns the document's text and the number of its hidden pieces.
func (d *docx) text() (text string, hidden int, err error) {
	main, err := d.mainPart()
	if err != nil {
		return "", 0, err
	}
	sheet := styleSheet{}
	beside := func(name string) string { return path.Join(path.Dir(main), name) }
	if err := d.read(beside("styles.xml"), maxSetup, sheet.read); err != nil && !errors.Is(err, errNoPart) {
		return "", 0, err
	}
	w := docxWriter{styles: sheet}
	if body := d.members[strings.ToLower(main)]; body != nil {
		w.out.Grow(int(min(body.UncompressedSize64, maxDocument))) // growing later would copy
	}
	if err := d.read(main, maxDocument, w.story); err != nil {
		return "", 0, err
	}
	for _, notes := range []string{"footnotes.xml", "endnotes.xml"} {
		if err := d.read(beside(notes), maxDocument, w.walk); err != nil && !errors.Is(err, errNoPart) {
			return "", 0, err
		}
	}
	return w.out.String(), w.hidden + d.dropped, nil
}

// mainPart returns the name of the part that holds the body.
func (d *docx) mainPart() (string, error) {
	main := ""
	err := d.read("_rels/.rels", maxSetup, func(p *xmlPart) error {
		return p.each(func(e element) error {
			if e.Name.Local == "Relationship" && strings.HasSuffix(e.plain("Type"), officeDocument) && main == "" {
				main = strings.TrimPrefix(path.Clean("/"+e.plain("Target")), "/")
			}
			return nil
		})
	})
	switch {
	case errors.Is(err, errNoPart), err == nil && main == "":
		return "", errors.New("it is no Word document")
	case err != nil:
		return "", err
	}
	return main, nil
}

// errNoPart is returned for a part that the package does not have.
var errNoPart = errors.New("a part of it is missing")

// read hands a part to use.
func (d *docx) read(name string, limit uint64, use func(*xmlPart) error) error {
	f := d.members[strings.ToLower(name)]
	switch {
	case f == nil:
		return errNoPart
	case f.Flags&1 != 0:
		return errors.New("its archive is encrypted")
	case f.UncompressedSize64 > limit:
		return errPartTooLarge
	}
	file, err := f.Open()
	if err != nil {
		return errors.New("its archive is damaged")
	}
	defer file.Close()
	// Not more than the archive says is read; archive/zip sees to that.
	return use(newXMLPart(d.ctx, file, &d.left, &d.dropped))
}

var errPartTooLarge = errors.New("a part of it is too large when unpacked")
