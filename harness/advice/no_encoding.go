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

A string can have an image or the bytes of a file as Base64, as a data URL, or as a path to it, and
the body of a request as JSON, as a form or as it is sent. Say which, and set contentEncoding or
contentMediaType.`,
	Source: Source{
		"JSON Schema has contentEncoding and contentMediaType for binary data in strings.",
		"https://json-schema.org/draft/2020-12/json-schema-validation#name-contentencoding", "2022-06-16",
	},
	Bad:  `[{"name": "set_photo", "description": "Change the photo of an account.", "parameters": {"type": "object", "properties": {"image": {"type": "string", "description": "The photo."}}}}]`,
	Good: `[{"name": "set_photo", "description": "Change the photo of an account.", "parameters": {"type": "object", "properties": {"image": {"type": "string", "description": "The photo, a PNG in Base64.", "contentEncoding": "base64"}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found, bodies, uploads []*parameter
		for _, param := range tool.params {
			if isBody(param) {
				bodies = append(bodies, param)
			}
			if isUploaded(tool, param) {
				uploads = append(uploads, param)
			}
			if !param.isA("string") || param.isClosed() || hasForm(param.schema) || param.schema.Has("contentEncoding") || !slices.Contains(binary, param.last()) || param.text == "" || isForeign(param.text) {
				continue
			}
			if param.prose.Has(encodings...) || param.prose.Has(names...) || hasAny(param.lower, "base64", "data:", "://") || hasAny(tool.lower, "base64", "base 64", "url", "path", "docker", "container") {
				continue
			}
			found = append(found, param)
		}
		p.reportAll(found, "does not say how bytes are written: say Base64, a URL or a path", "do not say how bytes are written: say Base64, a URL or a path")
		p.reportAll(uploads, "does not say whether it is text alone, or bytes too, and how they are written: say text or Base64", "do not say whether they are text alone, or bytes too, and how they are written: say text or Base64")
		p.reportAll(bodies, "does not say how the body of a request is written: say JSON, a form or text, and its type", "do not say how the bodies of requests are written: say JSON, a form or text, and their types")
	},
}

// isUploaded reports whether a parameter is what a tool uploads as a file, of any type.
func isUploaded(tool *declaration, param *parameter) bool {
	isUpload := slices.ContainsFunc(tool.named, func(word string) bool { return word == "upload" || word == "file" })
	return isUpload && slices.Contains([]string{"content", "contents", "data"}, param.last()) && param.depth == 0 && param.isText() && !hasForm(param.schema) && param.text != "" && !isForeign(param.text) &&
		!hasAny(tool.lower+param.lower, "text", "base64", "utf", "json", "markdown", "source", "code", "string", "plain", "binary") && !slices.ContainsFunc(tool.params, func(other *parameter) bool { return other.hasNameOf("encoding", "base64", "mime", "type") })
}

// isBody reports whether a parameter is the body of a request, as it is sent, by its text.
func isBody(param *parameter) bool {
	return param.isText() && slices.Contains([]string{"body", "payload", "data", "value"}, param.last()) && !hasForm(param.schema) && !param.schema.Has("contentMediaType") && param.prose.Has(ofRequests...) && !param.prose.Has(types...)
}

// ofRequests are phrases of texts about the body of a request, and types words about its type.
var (
	ofRequests = prose.Phrases("request body", "in the body", "request payload", "post body", "http body", "body of the request", "post data", "as the body")
	types      = prose.Phrases("json", "form", "xml", "text", "raw", "urlencoded", "e.g", "example", "string", "base64", "markdown", "content-type", "stringified", "pull", "merge")
)

// encodings are words of texts that say how bytes are written, and names those about the name of something.
var (
	encodings = prose.Phrases("base 64", "hex", "hexadecimal", "path", "paths", "url", "urls", "uri", "utf-8", "text", "html", "e.g", "example", "such as", "local", "link", "address", "attach")
	names     = prose.Phrases("id", "ids", "uuid", "identifier", "name", "names", "filename", "filenames", "key", "keys", "docker", "container", "containers", "tag", "prompt", "identification")
)

// binary are last words of names for bytes.
var binary = []string{"image", "images", "photo", "picture", "audio", "video", "screenshot", "attachment", "attachments", "pdf", "binary", "bytes", "blob", "thumbnail", "avatar", "logo", "file", "files", "signature", "buffer"}
