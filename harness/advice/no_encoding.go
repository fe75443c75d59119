package advice

import (
	"slices"

	"toolproof/harness/advice/prose"
)

// noEncoding finds bytes in a string without an encoding.
var noEncoding = &Rule{
	Name:    "no_encoding",
	IsGrave: true,
	Doc: `bytes in a string have no encoding

A string can have an image or the bytes of a file as Base64, as a data URL, or as a path to it.
Say which, and set contentEncoding.`,
	Source: Source{
		"JSON Schema has contentEncoding and contentMediaType for binary data in strings.",
		"https://json-schema.org/draft/2020-12/json-schema-validation#name-contentencoding", "2022-06-16",
	},
	Bad:  `[{"name": "set_photo", "description": "Change the photo of an account.", "parameters": {"type": "object", "properties": {"image": {"type": "string", "description": "The photo."}}}}]`,
	Good: `[{"name": "set_photo", "description": "Change the photo of an account.", "parameters": {"type": "object", "properties": {"image": {"type": "string", "description": "The photo, a PNG in Base64.", "contentEncoding": "base64"}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found []*parameter
		for _, param := range tool.params {
			if !param.isA("string") || param.isClosed() || hasForm(param.schema) || param.schema.Has("contentEncoding") || !slices.Contains(binary, param.last()) || param.text == "" || isForeign(param.text) {
				continue
			}
			if param.prose.Has(encodings...) || param.prose.Has(names...) || hasAny(param.lower, "base64", "data:", "://") || hasAny(tool.lower, "base64", "base 64", "url", "path", "docker", "container") {
				continue
			}
			found = append(found, param)
		}
		p.reportAll(found, "does not say how bytes are written: say Base64, a URL or a path", "do not say how bytes are written: say Base64, a URL or a path")
	},
}

// encodings are words of texts that say how bytes are written, and names those about the name of something.
var (
	encodings = prose.Phrases("base 64", "hex", "hexadecimal", "path", "paths", "url", "urls", "uri", "utf-8", "text", "html", "e.g", "example", "such as", "local", "link", "address", "attach")
	names     = prose.Phrases("id", "ids", "uuid", "identifier", "name", "names", "filename", "filenames", "key", "keys", "docker", "container", "containers", "tag", "prompt", "identification")
)

// binary are last words of names for bytes.
var binary = []string{"image", "images", "photo", "picture", "audio", "video", "screenshot", "attachment", "attachments", "pdf", "binary", "bytes", "blob", "thumbnail", "avatar", "logo", "file", "files", "signature", "buffer"}
