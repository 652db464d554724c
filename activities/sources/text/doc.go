// Package text turns the bytes of a document into the text that a person
// reading it would see, and says what it had to do to get there.
//
// # Formats
//
// A file's name decides its format (see [MediaType]), never its content.
// Markdown, plain text, CSV, JSON and YAML stay as they are written, front
// matter, comments and escapes included: who opens such a file sees them too.
// Line N of the text is line N of the file. HTML, DOCX and PDF become readable
// text, of which [Decode] states the form.
//
// # Encodings
//
// A byte order mark decides; failing that, the charset that a server told (see
// [DecodeAs]). Without either, the first that holds is taken:
//
//  1. UTF-16, when there are NUL bytes, every code unit decodes, and most are
//     Latin, so that their NUL bytes show the byte order, or the text is Han
//     and its bytes are no UTF-8;
//  2. UTF-8, when every byte decodes, or when there are at least as many whole
//     letters of three or four bytes as there are bytes that do not;
//  3. GB18030, of which GBK and GB 2312 are parts, when every byte decodes and
//     the result has the look of Chinese;
//  4. UTF-8 with every byte that does not decode replaced by U+FFFD.
//
// Too few letters to tell by make a text Guessed. UTF-32 is refused by name.
// So is a text of mostly controls or replaced bytes: it is no text, or in an
// encoding that is not read, and none of it would help.
//
// # What a person cannot see
//
// Documents are quoted to models, and a model reads characters that leave no
// mark on a screen: a letter of the block U+E0000 is as good as its ASCII twin
// to it. So nothing invisible passes. Left out and counted are controls (but
// for line ends and tabs), noncharacters, and all that Unicode lets a renderer
// ignore (Default_Ignorable_Code_Point, UAX #44) or uses for format alone (Cf):
// tag characters, zero-width spaces and joiners, bidi embeddings, overrides,
// isolates and marks, soft hyphens, fillers, variation selectors, and byte
// order marks inside a text. UTR #36 and UTS #39 describe what is done with
// them, CVE-2021-42574 the reordering of source text by bidi controls. Text is
// kept in logical order, which is the order that a model reads.
//
// Kept, one at a time, where a script or an emoji is spelled with it, after
// the contexts of RFC 5892, appendices A.1 and A.2:
//
//   - U+200D and U+200C after a virama, and inside cursive scripts;
//   - U+200D between two pictographs, and U+FE0E or U+FE0F after one;
//   - Mongolian variation selectors after a Mongolian letter.
//
// What a format hides is left out too and counted as Hidden: comments and
// elements that HTML hides by attribute or inline style, and what it has for
// programs that cannot show an element; hidden, deleted and smaller than visible
// runs of DOCX, hidden drawings, codes of fields, references to its comments, and
// texts of vocabularies that Word
// does not understand (ECMA-376 part 3); text of a PDF that is drawn
// without ink, outside the page or smaller than visible. Inline styles are read
// as CSS declarations ([readStyle] has what is recognised). Counted with them is
// the text of HTML's pictures, formulas and choices, which is seen but not read.
// What needs rendering to be known stays: text in the color of a ground that
// something else has, under a picture, in a layer that is switched off, or
// hidden by a style sheet or a script.
//
// # Limits
//
// At most [MaxBytes] go in, and as many come out. Readers of formats bound
// what a small file may grow to, and how long they read it; a document that
// wants more is a Problem that names the limit. A PDF is read by PDFium, compiled
// to WebAssembly, in a sandbox without files, network or clock, one document at a
// time. What the machine cannot do is an error, never a Problem: the document may
// be read another time.
package text
