package advice

import "slices"

// noEncoding finds bytes in a string without an encoding.
var noEncoding = &Rule{
	Name: "no_encoding",
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
			if hasAny(param.lower, "base64", "base 64", "hex", "path", "url", "uri", "utf", "data:", "id", "name", "text", "docker", "container", "tag", "e.g", "example", "such as", "prompt") || hasAny(tool.lower, "base64", "base 64", "url", "path", "docker", "container") {
				continue
			}
			found = append(found, param)
		}
		p.reportAll(found, "does not say how bytes are written: say Base64, a URL or a path", "do not say how bytes are written: say Base64, a URL or a path")
	},
}

// binary are last words of names for bytes.
var binary = []string{"image", "images", "photo", "picture", "audio", "video", "screenshot", "attachment", "attachments", "pdf", "binary", "bytes", "blob", "thumbnail", "avatar", "logo", "file", "files", "signature", "buffer"}
