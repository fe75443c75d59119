package advice

import (
	"strings"
	"testing"
)

// TestWordings: rules read classes of wordings, and find nothing in what only looks like one.
func TestWordings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule          *Rule
		found, others string // properties of two tools
	}{
		{openObject, `"a": {"type": "array", "description": "Steps.", "items": {"type": "object"}}`, `"a": {"type": "array", "description": "Steps.", "items": {"type": "string"}}`},
		{openObject, `"variables": {"type": "array", "description": "Those of the text.", "items": {"type": "object"}}`, `"variables": {"type": "object", "description": "Those of the text."}`},
		{openObject, `"a": {"anyOf": [{"type": "object"}, {"type": "string"}]}`, `"a": {"anyOf": [{"type": "object", "properties": {"b": {"type": "string"}}}, {"type": "string"}]}`},
		{openObject, `"a": {"description": "What to set."}`, `"value": {"description": "What to set."}`},
		{openObject, `"a": {"type": "object", "description": "Fields to change (optional)."}`, `"a": {"type": "object", "description": "Fields, e.g. name."}`},
		{openObject, `"a": {"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {}}`, `"a": {"type": "object", "propertyNames": {"enum": ["x"]}}`},
		{openObject, `"a": {"type": "object", "description": "Members depend on the kind (of a or b)."}`, `"a": {"type": "object", "description": "Settings (size, colour)."}`},
		{openObject, `"a": {"type": "object", "description": "请求的内容"}`, `"a": {"type": "object", "description": "请求的内容，例如名称"}`}, //nolint:gosmopolitan // a text in another script
		{openObject, `"a": {"anyOf": [{"type": "object", "description": "What to change."}, {"type": "string"}]}`, `"a": {"anyOf": [{"type": "object", "description": "Has \"text\"."}, {"type": "string"}]}`},
		{openObject, `"auth": {"type": "object", "properties": {"basic": {}}}`, `"auth": {"type": "object", "properties": {"noauth": {}}}`},
		{noDescription, `"maxPages": {"type": "integer", "minimum": 1, "maximum": 100}`, `"maxPages": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}`},
		{noDescription, `"f": {"type": "object", "description": "A file.", "properties": {"path": {"type": "string"}}}`, `"f": {"type": "object", "description": "A file.", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}`},
		{secretParameter, `"password": {"type": "string", "description": "Of the site."}`, `"password": {"type": "string", "description": "Of the site; omit to have it requested from the user."}`},
		{secretParameter, `"api_key": {"type": "string"}`, `"token": {"type": "string", "description": "Of the next page."}`},
		{contradiction, `"p": {"type": "string", "default": "metric", "description": "Defaults to imperial."}`, `"p": {"type": "string", "default": "metric", "description": "Defaults to the metric one."}`},
		{contradiction, `"r": {"type": "string", "description": "A task number. If omitted, the last one is read."}`, `"r": {"type": "string", "description": "If not given, prompt for it."}`},
		{contradiction, `"n": {"type": "integer", "default": "ten"}`, `"n": {"type": ["integer", "string"], "default": "ten"}`},
		{contradiction, `"n": {"type": "integer", "default": null}`, `"n": {"type": "integer", "nullable": true, "default": null}`},
		{contradiction, `"n": {"type": "integer", "enum": [1, 2], "default": 3}`, `"n": {"type": "integer", "enum": [1, 2], "default": 1.0}`},
		{contradiction, `"o": {"type": "object", "additionalProperties": false, "description": "Names and values."}`, `"o": {"type": "object", "additionalProperties": false}`},
		{noDefault, `"limit": {"type": "integer", "description": "How many."}`, `"limit": {"type": "integer", "description": "How many; all if not given."}`},
		{noDefault, `"mode": {"enum": ["a", "b"], "type": "string"}`, `"mode": {"enum": ["a", "b"], "type": "string", "description": "Filter by mode."}`},
		{contradiction, `"p": {"type": "string", "description": "REQUIRED. A name."}`, `"p": {"type": "string", "description": "REQUIRED for big ones. A name."}`},
		{valuesInProse, `"p": {"type": "string", "description": "Must be 'yes' to go on."}`, `"p": {"type": "boolean", "description": "Must be true to go on."}`},
		{valuesInProse, `"sort": {"type": "string", "description": "Comma-separated orders (age, size)."}`, `"sort": {"type": "string", "description": "Comma-separated names of fields."}`},
		{numberInString, `"p": {"type": "string", "description": "Whether to dry it."}`, `"p": {"type": "string", "description": "Whether to dry it, 'yes' or 'no'."}`},
		{numberInString, `"p": {"type": "string", "description": "Number of shirts."}`, `"p": {"type": "string", "description": "The number on the label."}`},
		{numberInString, `"top": {"type": ["integer", "string"]}`, `"top": {"type": ["integer", "null"]}`},
		{openObject, `"query": {"type": "object", "description": "What to ask, such as name.", "additionalProperties": {"type": ["string", "number"]}}`, `"query": {"type": "object", "description": "What to ask.", "additionalProperties": {"type": "string"}}`},
		{noBase, `"file_path": {"type": "string", "description": "Absolute or relative path of the file."}`, `"file_path": {"type": "string", "description": "Absolute path of the file, or one relative to the home folder."}`},
		{unexplainedValues, `"right": {"type": "string", "enum": ["C", "P"]}`, `"gender": {"type": "string", "enum": ["M", "F"]}`},
		{listInString, `"usernames": {"type": "string"}`, `"username": {"type": "string"}`},
		{noUnit, `"max_length": {"type": "integer", "description": "Of the answer."}`, `"max_length": {"type": "integer", "description": "Characters of the answer."}`},
		{noUnit, `"since": {"type": "integer", "description": "Only later ones."}`, `"since": {"type": "integer", "description": "An id; only later ones."}`},
		{noUnit, `"price": {"type": "number", "description": "Of one piece."}`, `"price": {"type": "number", "description": "Of one piece."}, "currency": {"type": "string"}`},
		{noFormat, `"env": {"type": "string", "description": "Variables of the process."}`, `"env": {"type": "string", "description": "Variables as KEY=value in lines."}`},
		{noFormat, `"date": {"type": "string", "description": "When; defaults to today's."}`, `"date": {"type": "string", "description": "When, such as today."}`},
		{unlistedModes, `"item_id": {"type": "string", "description": "A number."}, "item_name": {"type": "string", "description": "A word."}`, `"item_id": {"type": "string", "description": "A number; preferred."}, "item_name": {"type": "string", "description": "A word."}`},
		{requiredOfMode, `"kind": {"type": "string", "enum": ["mail", "fax"]}, "b": {"type": "string", "description": "An address (for mail)."}`, `"kind": {"type": "string", "enum": ["mail", "fax"]}, "b": {"type": "string", "description": "An address for all."}`},
		{requiredOfMode, `"kind": {"type": "string", "enum": ["mail", "fax"]}, "b": {"type": "string", "description": "An address (Mail only)."}`, `"kind": {"type": "string", "enum": ["mail", "fax"]}, "b": {"type": "string", "description": "An address (all of them)."}`},
		{requiredOfMode, `"b": {"type": "string", "description": "Either this or c_d is required."}, "c_d": {"type": "string"}`, `"b": {"type": "string", "description": "This or that."}, "c_d": {"type": "string"}`},
		{valuesInProse, `"network": {"type": "string", "description": "Which net (INSIDE, OUTSIDE)"}`, `"picture": {"type": "string", "description": "A picture (PNG, JPEG)"}`},
		{boundsInProse, `"n": {"type": "integer", "description": "At most 9. Use 3 for short ones."}`, `"n": {"type": "integer", "description": "At most 9 for short ones."}`},
		{boundsInProse, `"n": {"type": "integer", "description": "At most 9."}`, `"n": {"type": "number", "description": "Up to 4 decimal places."}`},
		{defaultInProse, `"n": {"type": "integer", "description": "How many, 3 by default."}`, `"n": {"type": "integer", "description": "How many by default."}`},
		{defaultInProse, `"n": {"type": "integer", "description": "60 seconds if not specified."}`, `"n": {"type": "integer", "description": "Fewer than 60 if one is specified."}`},
		{defaultInProse, `"k": {"type": "string", "enum": ["png", "gif"], "description": "Default is png."}`, `"k": {"type": "string", "enum": ["png", "gif"], "description": "The default format of a png."}`},
		{defaultInProse, `"k": {"type": "string", "enum": ["RAW", "HTML"], "description": "RAW (default): as it is. HTML: for pages."}`, `"k": {"type": "string", "description": "RAW (default): as it is."}`},
		{defaultInProse, `"include_body": {"type": "boolean", "description": "Excluded by default."}`, `"b": {"type": "boolean", "description": "What is excluded by default."}`},
		{defaultInProse, `"b": {"type": "boolean", "description": "Off by default."}`, `"b": {"type": "boolean", "description": "When it is off."}`},
		{defaultInProse, `"d": {"type": "string", "description": "Where (defaults to /var/lib)."}`, `"d": {"type": "string", "description": "Where (defaults to /var/lib of the host)."}`},
		{boundsInProse, `"sure": {"type": "boolean", "description": "Must be true."}`, `"sure": {"type": "boolean", "description": "Must be true when it is a folder."}`},
		{noDefault, `"limit": {"type": "integer", "description": "How many."}`, `"limit": {"type": "integer", "description": "How many; all without it."}`},
		{noDefault, `"layout": {"type": "string", "enum": ["a", "b"]}`, `"layout": {"type": "string", "enum": ["a", "auto"]}`},
		{noDefault, `"params": {"type": "object", "properties": {"layout": {"type": "string", "enum": ["a", "b"]}}}`, `"chart": {"type": "object", "properties": {"layout": {"type": "string", "enum": ["a", "b"]}}}`},
		{noDefault, `"recursive": {"type": "boolean", "description": "Whether to go deeper."}`, `"bold": {"type": "boolean", "description": "Whether it is bold (ignored for titles)."}`},
		{noDefault, `"timeout": {"type": "integer"}`, `"weight": {"type": "integer", "description": "Of it."}`},
		{noDefault, `"a": {"type": "boolean", "description": "Use this one, otherwise that one."}`, `"a": {"type": "boolean", "description": "Use this one; that one if omitted."}`},
		{noDefault, `"orderBy": {"type": "string", "description": "What comes first."}`, `"orderBy": {"type": "string"}`},
		{noBase, `"path": {"type": "string", "description": "Directory to search in."}`, `"path": {"type": "string", "description": "Directory to search in."}, "server": {"type": "string"}`},
		{noPages, `"insertion_index": {"type": "integer", "description": "Where to put it."}`, `"insertion_index": {"type": "integer", "minimum": 0, "description": "Where to put it."}`},
		{defaultInProse, `"host": {"type": "string", "description": "Where (default: localhost)"}`, `"host": {"type": "string", "description": "Where (default: current)"}`},
		{defaultInProse, `"k": {"type": "string", "enum": ["raw", "sum"], "description": "'sum' for normal output (default), 'raw' as it is."}`, `"k": {"type": "string", "enum": ["raw", "sum"], "description": "'sum' for normal output of the (default) kind of file."}`},
		{defaultInProse, `"zone": {"type": "string", "description": "Of the clock (optional, default: UTC)"}`, `"zone": {"type": "string", "description": "Of the clock (optional, default: UTC of the server)"}`},
		{boundsInProse, `"n": {"type": "integer", "description": "Of the room to look for (1-9)."}`, `"n": {"type": "integer", "description": "Of the room (1-9 for guests)."}`},
		{boundsInProse, `"n": {"type": "integer", "description": "The value range is [0,50]."}`, `"n": {"type": "integer", "description": "Such as [0,50]."}`},
		{boundsInProse, `"n": {"type": "integer", "description": "Must be >= 0."}`, `"n": {"type": "integer", "description": "Use it if n >= 0."}`},
		{noMaximum, `"limit": {"type": "integer", "default": 5}`, `"limit": {"type": "integer", "maximum": 9}`},
		{noDefault, `"output_dir": {"type": "string", "description": "Where to write."}`, `"output_dir": {"type": "string", "description": "Where to write; a new one if not given."}`},
		{noDefault, `"time_zone": {"type": "string", "description": "Of the dates."}`, `"r": {"type": "string", "description": "A time zone."}`},
		{noDefault, `"db_alias": {"type": "string"}`, `"db_alias": {"type": "string", "description": "Of the server, required."}`},
		{noDefault, `"max_depth": {"type": "integer", "description": "How deep."}`, `"deep": {"type": "integer", "description": "How deep."}`},
		{noMaximum, `"limit": {"type": "integer", "description": "How many."}`, `"limit": {"type": "integer", "description": "How many, at most 50."}`},
		{noMaximum, `"page_size": {"type": "integer"}`, `"page_size": {"anyOf": [{"type": "integer", "maximum": 50}, {"type": "null"}]}`},
		{noMaximum, `"max_results": {"type": "integer", "description": "How many."}`, `"max_results": {"type": "integer", "description": "How many; more than allowed are capped."}`},
		{harmfulDefault, `"user": {"type": "string", "default": "dummy0123"}`, `"user": {"type": "string", "default": "anybody"}`},
		{noUnit, `"duration": {"type": "number", "description": "The duration of it."}`, `"duration": {"type": "number", "description": "The ratio to the whole."}`},
		{noUnit, `"opacity": {"type": "number"}`, `"opacity": {"type": "number", "maximum": 1}`},
		{noUnit, `"max_file_size": {"type": "integer", "description": "Of a file."}`, `"max_file_size": {"type": "integer", "description": "Of a file (MB)."}`},
		{noPages, `"line_start": {"type": "integer", "description": "Starting line."}`, `"line_start": {"type": "integer", "description": "Starting line, from 0."}`},
		{noPages, `"page_token": {"type": "string", "description": "To get a page of results."}`, `"page_token": {"type": "string", "description": "From the previous results."}`},
		{noBase, `"song_file": {"type": "string", "description": "Path to the audio."}`, `"song_file": {"type": "string", "description": "Path to the audio."}, "bucket": {"type": "string"}`},
		{unlistedValues, `"section": {"type": "string", "description": "Section, e.g. 'tools'."}`, `"name": {"type": "string", "description": "Name, e.g. 'tools'."}`},
		{unlistedValues, `"order_by": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}`, `"order_by": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": "size"}`},
		{valuesInProse, `"p": {"type": "string", "description": "A field ('size' only)."}`, `"p": {"type": "string", "description": "A field ('size' only for big ones)."}`},
		{valuesInProse, `"kind": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "One of 'a' or 'b'."}`, `"kind": {"anyOf": [{"type": "string"}, {"type": "number"}], "description": "One of 'a' or 'b'."}`},
		{noFormat, `"domain": {"type": "string", "description": "Of the shop."}`, `"domain": {"type": "string", "description": "Of the shop, such as example.com."}`},
		{noFormat, `"range": {"type": "string", "description": "Cells, such as A1:C3."}`, `"range": {"type": "string", "description": "Cells, such as A1:C3."}, "sheet_name": {"type": "string"}`},
		{noSyntax, `"query": {"type": "string", "description": "The search query."}`, `"query": {"type": "string", "description": "The search query of words."}`},
		{jsonInString, `"a": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"b": {"type": "string"}}}], "description": "A JSON string or an object."}`, `"a": {"anyOf": [{"type": "string"}, {"type": "number"}], "description": "What is stringified."}`},
		{sentinelValue, `"context": {"type": "string", "default": "", "description": "Which one."}`, `"context": {"type": "string", "default": "", "description": "Which one; empty for the first."}`},
		{listInString, `"order_numbers": {"type": "string", "description": "Which orders."}`, `"order_numbers": {"type": "string", "description": "Which orders, in one string."}`},
		{listInString, `"days": {"type": "string", "description": "List of days."}`, `"days": {"type": "string", "description": "What to list: days; or nights."}`},
		{numberInString, `"year": {"type": "string", "description": "Of the fair."}`, `"year": {"type": "string", "format": "date", "description": "Of the fair."}`},
		{numberInString, `"value": {"type": "string"}, "currency": {"type": "string"}`, `"value": {"type": "string"}`},
		{numberInString, `"sure": {"type": "string", "description": "Set to true or false."}`, `"sure": {"type": "string", "description": "What is true."}`},
		{numberInString, `"boat_id": {"type": "string", "description": "Numeric ID of the boat."}`, `"boat_id": {"type": "string", "description": "Numeric ID or name of the boat."}`},
		{unexplainedValues, `"action": {"type": "string", "enum": ["build_hull", "sell", "paint"]}`, `"action": {"type": "string", "enum": ["build", "sell", "paint"]}`},
		{noDescription, `"o": {"type": "object", "properties": {"a": {"type": "string", "description": "Text."}}}`, `"o": {"type": "object", "properties": {}, "additionalProperties": false}`},
		{openObject, `"steps": {"type": "array", "description": "What to do."}`, `"steps": {"type": "array", "description": "What to do, such as [1, 2]."}`},
		{openObject, `"tags": {"type": "array", "items": {}, "description": "Of the photo."}`, `"args": {"type": "array", "description": "Of the script."}`},
		{noUnit, `"x": {"type": "number", "description": "The x coordinate."}`, `"x": {"type": "number", "description": "The x coordinate on the canvas."}`},
		{noUnit, `"warning_threshold": {"type": "number", "description": "When to warn."}`, `"row_threshold": {"type": "number", "description": "When to warn."}`},
		{unlistedValues, `"granularity": {"type": "string"}`, `"granularity": {"type": "string", "enum": ["day", "hour"]}`},
		{contradiction, `"r": {"type": "string", "description": "If omitted, all are returned."}`, `"r": {"type": "string", "description": "If not provided, ask the user."}`},
		{contradiction, `"a": {"type": "string", "description": "A name. Pass ` + "`null`" + ` to clear it."}`, `"a": {"type": ["string", "null"], "description": "A name. Pass null to clear it."}`},
		{httpWords, `"a": {"type": "string", "description": "Values are listed via the form-fields endpoint."}`, `"a": {"type": "string", "description": "The endpoint of the line."}`},
		{
			noPages, `"l": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer", "description": "Where to comment."}}}}`,
			`"start_line": {"type": "integer", "description": "First line, from 1."}, "end_line": {"type": "integer", "description": "The last one."}`,
		},
		{noPages, `"start_cursor": {"type": "string", "description": "For pages."}`, `"start_cursor": {"type": "string", "description": "next_cursor of the previous answer."}`},
		{noUnit, `"growth_rate": {"type": "number"}`, `"rate": {"type": "number"}`},
		{noUnit, `"width": {"type": "number", "description": "Of the chart."}`, `"width": {"type": "number", "description": "Of the chart in points."}`},
		{noUnit, `"expiration_time": {"type": "number"}`, `"start_time": {"type": "number"}`},
		{noFormat, `"exclude_patterns": {"type": "array", "items": {"type": "string"}, "description": "What to leave out."}`, `"exclude_patterns": {"type": "array", "items": {"type": "string"}, "description": "Globs to leave out."}`},
		{noFormat, `"instance_path": {"type": "string", "description": "Of the part."}`, `"file_path": {"type": "string", "description": "Of the part."}`},
		{noFormat, `"created_since": {"type": "string", "description": "Made after this timestamp."}`, `"created_since": {"type": "string", "description": "Made after this one."}`},
		{noFormat, `"workspace": {"type": "string", "description": "Where to look (required)."}`, `"workspace": {"type": "string", "description": "Where to look, by name."}`},
		{noEncoding, `"value": {"type": "string", "description": "What to send in the body."}`, `"value": {"type": "string", "description": "What to send in the body, as JSON."}`},
		{noEncoding, `"body": {"type": "string", "description": "The request body."}`, `"body": {"type": "string", "description": "The pull request body."}`},
		{noEncoding, `"video": {"type": "string", "description": "The video to show, as the guide says."}`, `"video": {"type": "string", "description": "The ID of the video to show."}`},
		{noEncoding, `"first_image": {"type": "string", "description": "What comes first."}`, `"first_image": {"type": "string", "description": "A local file or a link."}`},
		{noFormat, `"ends_at": {"type": "string", "description": "The date of the end."}`, `"ends_at": {"type": "string", "description": "Where it ends."}`},
		{noFormat, `"locale": {"type": "string", "description": "A valid locale."}`, `"locale": {"type": "string", "description": "The id of a locale."}`},
		{noFormat, `"hidden_folder": {"type": "string", "description": "Where the hidden ones are."}`, `"include_hidden_folders": {"type": "string", "description": "Hidden ones."}`},
		{noFormat, `"icon": {"type": "string", "description": "Of the page."}`, `"icon": {"type": "string", "description": "An emoji."}`},
		{noFormat, `"currency": {"type": "string", "description": "Of the price."}`, `"currency": {"type": "string", "description": "An ISO code."}`},
		{noFormat, `"start": {"type": "string", "description": "As YYYY-MM-DD HH:MM."}`, `"start": {"type": "string", "description": "In UTC, as YYYY-MM-DD HH:MM."}`},
		{formatInProse, `"callback_url": {"type": "string", "description": "An HTTPS URL."}`, `"callback": {"type": "string", "description": "An HTTPS URL."}`},
		{requiredOfMode, `"kind": {"type": "string", "enum": ["all", "one"]}, "b": {"type": "string", "description": "The name (kind=one)."}`, `"kind": {"type": "string", "enum": ["all", "one"]}, "b": {"type": "string", "description": "The name of one kind."}`},
		{requiredOfMode, `"m": {"type": "string", "enum": ["list", "get"]}, "b": {"type": "string", "description": "Required for list, get."}`, `"m": {"type": "string", "enum": ["list", "get"]}, "b": {"type": "string", "description": "Required for get together."}`},
		{requiredOfMode, `"b": {"type": "string", "description": "What happened; required when creating a defect."}`, `"b": {"type": "string", "description": "What happened when creating a defect."}`},
		{requiredOfMode, `"path": {"type": "string"}, "b": {"type": "string", "description": "An address (alternative to path)."}`, `"path": {"type": "string"}, "b": {"type": "string", "description": "An alternative way to paths."}`},
		{requiredOfMode, `"usePattern": {"type": "boolean"}, "b": {"type": "string", "description": "Captures when usePattern is true."}`, `"usePattern": {"type": "boolean"}, "b": {"type": "string", "description": "Captures; default is those of usePattern if it is set."}`},
		{requiredOfMode, `"c_d": {"type": "string"}, "b": {"type": "string", "description": "Used with c_d."}`, `"c_d": {"type": "string"}, "b": {"type": "string", "description": "Deprecated, used with c_d."}`},
		{requiredOfMode, `"kind": {"type": "string", "enum": ["mail", "fax"]}, "b": {"type": "string", "description": "Required for: mail"}`, `"kind": {"type": "string", "enum": ["mail", "fax"]}, "b": {"type": "string", "description": "Mail or fax"}`},
		{noChoice, `"a": {"type": "string", "enum": ["x"]}`, `"a": {"type": "boolean", "enum": [true]}, "confirm": {"type": "string", "enum": ["yes"]}, "o": {"type": "object", "properties": {"kind": {"const": "x"}}}`},
		{noChoice, `"o": {"type": "object", "properties": {"id": {"type": "string", "description": "Its number. Read-only."}}}`, `"o": {"type": "object", "properties": {"id": {"type": "string", "description": "Set it for read-only files."}}}`},
		{httpWords, `"o": {"type": "object", "description": "Generated RoomRequest body"}`, `"o": {"type": "string", "description": "The message body"}`},
		{tellsModel, `"a": {"type": "string", "description": "You MUST give it."}`, `"a": {"type": "string", "description": "You must give it, in READ-ONLY mode, if it does NOT exist."}`},
		{tellsModel, `"a": {"type": "string", "description": "A name. Do NOT make one up."}`, `"a": {"type": "string", "description": "Names with AND, OR and NOT; ONLY is no sign."}`},
		{tellsModel, `"a": {"type": "string", "description": "A name. Call this first."}`, `"a": {"type": "string", "description": "Who is to call first."}`},
		{tellsModel, `"a": {"type": "string", "description": "IMPORTANT: always give it."}`, `"a": {"type": "string", "description": "IMPORTANT or minor."}`},
		{tellsModel, `"a": {"type": "string", "description": "A name; if in doubt, ask the user."}, "b": {"type": "string", "description": "NEVER a number."}`, `"a": {"type": "string", "description": "Whom the user asks."}`},
		{unlistedModes, `"robot_name": {"type": "string"}, "robot_names": {"type": "array"}`, `"robot_name": {"type": "string", "description": "If there is one."}, "robot_names": {"type": "array"}`},
		{unlistedModes, `"values": {"type": "object"}, "valuesFile": {"type": "string"}`, `"values": {"type": "object"}, "valuesLimit": {"type": "string"}`},
		{unlistedModes, `"variables": {"type": "object"}, "rawVariables": {"type": "array"}`, `"path": {"type": "string"}, "paths": {"type": "array"}`},
		{unlistedValues, `"status": {"type": "string", "description": "Filter by status (e.g. \"open\", \"paid\")."}`, `"status": {"type": "string", "description": "One of 'open' or 'paid'."}`},
		{noSyntax, `"q": {"type": "string", "description": "A query to filter boats."}`, `"q": {"type": "string", "description": "Words to filter names by."}`},
		{noSyntax, `"row_filter": {"type": "string", "description": "Which rows."}`, `"row_filter": {"type": "string", "description": "Which rows, in SQL."}`},
		{noSyntax, `"where": {"type": "string", "description": "Which rows."}`, `"where": {"type": "string", "description": "Which rows, such as length > 9."}`},
		{unexplainedValues, `"copy_mode": {"type": "string", "enum": ["mirror", "update", "merge"], "description": "How."}`, `"copy_mode": {"type": "string", "enum": ["mirror", "update", "merge"], "description": "How: mirror deletes, update does not."}`},
		{unexplainedValues, `"models": {"type": "array", "items": {"type": "string", "enum": ["gfs013", "icon_eu", "icon_global"]}}`, `"models": {"type": "array", "items": {"type": "string", "enum": ["card", "page", "table"]}}`},
		{unexplainedValues, `"priority": {"type": "integer", "description": "From 1 to 4."}`, `"priority": {"type": "integer", "description": "From 1 (highest) to 4."}`},
		{unlistedValues, `"opt_fields": {"type": "string", "description": "Optional fields to include."}`, `"opt_fields": {"type": "string", "description": "Fields such as name or size."}`},
		{unlistedValues, `"fields": {"type": "string", "description": "Fields to read, e.g. 'name,size'."}`, `"kind": {"type": "string", "description": "The code of a kind, e.g. 'boat'."}`},
		{unlistedValues, `"states": {"type": "array", "items": {"type": "string"}, "description": "One or more states."}`, `"states": {"type": "array", "items": {"type": "string", "enum": ["on", "off"]}, "description": "One or more states."}`},
		{unlistedValues, `"type": {"type": "string", "description": "Kind of field (text, number, etc.)."}`, `"type": {"type": "string", "description": "Kind of field to fetch (text, number)."}`},
		{unlistedValues, `"paper_size": {"type": "string", "description": "Of the paper."}`, `"page_size": {"type": "string", "description": "Of the page."}`},
		{unlistedValues, `"state": {"type": "string", "description": "The new state."}`, `"city": {"type": "string"}, "state": {"type": "string", "description": "Of the address."}`},
		{contradiction, `"ids": {"type": "array", "items": {"type": "string"}, "description": "The number or list of numbers to read."}`, `"ids": {"type": "array", "items": {"type": "string"}, "description": "The list of numbers to read."}`},
		{contradiction, `"room_id": {"type": "array", "items": {"type": "string"}, "description": "Number of the room."}`, `"room_id": {"type": "array", "items": {"type": "string"}, "description": "Numbers of one or more rooms."}`},
		{contradiction, `"paths": {"type": "string", "description": "Array of paths to watch."}`, `"paths": {"type": "string", "description": "List of paths to watch, as JSON."}`},
		{contradiction, `"floor": {"type": "integer", "description": "Which floor (use \"roof\" for the garden)."}`, `"roof": {"type": "boolean"}, "floor": {"type": "integer", "description": "Which floor; deprecated, use \"roof\" for the garden."}`},
		{contradiction, `"scope": {"type": "string", "default": "", "description": "Where to look (defaults to null)."}`, `"scope": {"type": ["string", "null"], "default": null, "description": "Where to look (defaults to null)."}`},
		{contradiction, `"deep": {"type": "boolean", "default": false, "description": "Whether to go deeper (default: true)."}`, `"deep": {"type": "boolean", "default": true, "description": "Whether to go deeper (default: true)."}`},
		{contradiction, `"kind": {"type": "string", "enum": ["sea", " yard"]}`, `"kind": {"type": "string", "enum": ["sea", "the yard"]}`},
		{contradiction, `"kind": {"type": "string", "enum": ["sea", "yard", "street", "hill"], "description": "View (sea, yard, street)."}`, `"kind": {"type": "string", "enum": ["sea", "yard", "street", "hill"], "description": "View (e.g. sea, yard, street)."}`},
		{contradiction, `"kind": {"type": "string", "enum": ["sea", "yard"], "description": "One of 'sea', 'yard' or 'hill'."}`, `"kind": {"type": "string", "enum": ["sea", "yard"], "description": "One of 'sea' or 'yard'."}`},
		{contradiction, `"floor": {"type": "integer", "examples": ["1", "2"]}`, `"floor": {"type": "integer", "examples": [1, "2"]}`},
		{contradiction, `"none": {"type": "object", "properties": {}, "additionalProperties": false}, "o": {"type": "object", "description": "One.", "additionalProperties": false}`, `"none": {"type": "object", "properties": {}, "additionalProperties": false}`},
		{contradiction, `"room_id": {"type": "string"}, "hint": {"type": "string", "description": "What else roomId may mean."}`, `"roomId": {"type": "string", "description": "A room_id of the house."}, "hint": {"type": "string", "description": "What else roomId=1 may mean."}`},
		{contradiction, `"hint": {"type": "string", "description": "Cannot be combined with house_number."}`, `"house_number": {"type": "string"}, "hint": {"type": "string", "description": "Cannot be combined with house_number."}`},
		{contradiction, `"rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}, "b": {"type": "boolean", "description": "Stacks need a 'group' field in rows."}`, `"rows": {"type": "array", "items": {"type": "object", "properties": {"group": {"type": "integer"}}}}, "b": {"type": "boolean", "description": "Stacks need a 'group' field in rows."}`},
		{requiredOfMode, `"first": {"type": "string", "description": "Either first or last must be given."}, "last": {"type": "string"}`, `"first": {"type": "string", "description": "The first or last one."}, "last": {"type": "string"}`},
		{requiredOfMode, `"from_row": {"type": "string", "description": "Provide from_row or find_text."}, "find_text": {"type": "string"}`, `"from_row": {"type": "string", "description": "Rows or find_text."}, "find_text": {"type": "string"}`},
		{requiredOfMode, `"room": {"type": "string"}, "b": {"type": "string", "description": "Used instead of room."}`, `"room": {"type": "string"}, "b": {"type": "string", "description": "Has a room instead of a house."}`},
		{requiredOfMode, `"zoomFactor": {"type": "number", "description": "How near, for fitAll or others."}, "fitAll": {"type": "boolean"}`, `"zoomFactor": {"type": "number", "description": "For all fitElements options."}, "fitAll": {"type": "boolean"}`},
		{requiredOfMode, `"site": {"type": "string", "enum": ["radar", "sonar"]}, "kind": {"type": "string", "description": "'movie' for Radar; 'series' for Sonar"}`, `"site": {"type": "string", "enum": ["radar", "sonar"]}, "kind": {"type": "string", "description": "What is on the radar"}`},
		{unlistedModes, `"robot_name": {"type": "string", "description": "Which one."}, "robot_names": {"type": "array", "description": "Which ones."}`, `"robot_name": {"type": "string", "description": "To center."}, "robot_names": {"type": "array", "description": "Fits all."}`},
		{contradiction, `"r": {"type": "string", "description": "A path; the last one if omitted."}`, `"r": {"type": "string", "description": "A path; a leading slash is added if omitted."}`},
		{contradiction, `"size": {"type": "object", "description": "Set to null for any.", "properties": {"min": {"type": "integer"}}}`, `"files": {"type": "object", "description": "By name; set to null to drop one."}`},
		{unlistedModes, `"type": {"type": "string"}, "type_id": {"type": "string"}`, `"type": {"type": "object"}, "type_id": {"type": "string"}`},
		{requiredOfMode, `"username": {"type": "string"}, "password": {"type": "string"}`, `"username": {"type": "string"}, "password": {"type": "string", "default": "guest"}`},
		{requiredOfMode, `"squash": {"type": "boolean"}, "squashMessage": {"type": "string"}`, `"completed": {"type": "boolean"}, "completed_after": {"type": "string"}`},
		{contradiction, `"jq": {"type": "string", "description": "A JMESPath expression."}`, `"jq": {"type": "string", "description": "A jq expression, which is no JMESPath."}`},
		{contradiction, `"kinds": {"type": "array", "items": {"type": "string", "enum": []}}`, `"kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}`},
		{contradiction, `"r": {"type": "string", "description": "Its name (optional, the last one without it)."}`, `"r": {"type": "string", "description": "Its name (optional parts in brackets)."}`},
		{contradiction, `"n": {"type": "integer", "maximum": 9, "description": "From 1 to 5."}`, `"n": {"type": "integer", "maximum": 9, "description": "From 1 to 5 at home, from 6 to 9 elsewhere."}`},
		{unlistedModes, `"url": {"type": "string", "description": "Of the page."}, "path": {"type": "string", "description": "Of the file."}`, `"url": {"type": "string", "description": "Of the page."}, "path": {"type": "string", "description": "Of the file, instead of url."}`},
		{requiredOfMode, `"format": {"type": "string", "enum": ["jpeg", "png"]}, "quality": {"type": "integer", "description": "How good, for jpeg."}`, `"format": {"type": "string", "enum": ["jpeg", "png"]}, "quality": {"type": "integer", "description": "How good it is in jpeg."}`},
		{requiredOfMode, `"mode": {"type": "array", "items": {"type": "string", "enum": ["short", "deep"]}}, "rows": {"type": "integer", "description": "How many in deep mode."}`, `"mode": {"type": "string", "enum": ["short", "deep"]}, "rows": {"type": "integer", "description": "How many; it is in deep water."}`},
		{requiredOfMode, `"method": {"type": "string", "enum": ["GET", "PUT"]}, "body": {"type": "string"}`, `"method": {"type": "string", "enum": ["card", "cash"]}, "body": {"type": "string"}`},
		{requiredOfMode, `"more": {"type": "boolean", "description": "Whether to read more. Requires an API token."}`, `"more": {"type": "boolean", "description": "Whether the site requires an API token."}`},
		{contradiction, `"token": {"type": "string", "description": "Of the file; see [How to get tokens]."}`, `"token": {"type": "string", "description": "Of the file; see [how to get tokens](https://example.org/tokens)."}`},
		{contradiction, `"n": {"type": "integer", "maximum": 500, "description": "Up to 20."}`, `"page": {"type": "integer", "maximum": 500, "description": "Which page, of up to 20 results."}`},
		{httpWords, `"user": {"type": "string", "description": "Who it is; see GET /users."}`, `"sql": {"type": "string", "description": "One INSERT / DELETE / UPDATE statement."}`},
		{instruction, `"key": {"type": "string", "description": "Always pass the private key here."}`, `"key": {"type": "string", "description": "Do not pass the private key here."}`},
		{noFormat, `"when": {"type": "object", "description": "Which days.", "properties": {"start_date": {"type": "string"}}}`, `"when": {"type": "object", "description": "Which days, as YYYY-MM-DD.", "properties": {"start_date": {"type": "string"}}}`},
		{noUnit, `"max_length": {"type": "integer", "description": "Of bytes."}, "start_index": {"type": "integer", "description": "Where to begin."}`, `"max_length": {"type": "integer", "description": "Of bytes."}, "start_index": {"type": "integer", "description": "At which character to begin."}`},
		{unlistedModes, `"a": {"type": "object", "properties": {"projectId": {"type": "string"}, "projectName": {"type": "string"}}}`, `"filters": {"type": "object", "properties": {"projectId": {"type": "string"}, "projectName": {"type": "string"}}}`},
	} {
		count := func(properties string) int {
			return len(of(t, tools(t, `[{"name": "f", "description": "Do it.", "parameters": {"type": "object", "required": ["r"], "properties": {`+properties+`}}}]`), Options{Rules: []*Rule{test.rule}}))
		}
		if count(test.found) != 1 {
			t.Errorf("%s: %d findings in %s", test.rule.Name, count(test.found), test.found)
		}
		if count(test.others) != 0 {
			t.Errorf("%s finds something in %s", test.rule.Name, test.others)
		}
	}
}

// TestMakesNothing: a tool that writes something requires what it writes.
func TestMakesNothing(t *testing.T) {
	t.Parallel()
	const text = `{"type": "string", "description": "Text."}`
	for list, want := range map[string]int{
		`[{"name": "send_message", "description": "Send it.", "parameters": {"type": "object", "properties": {"to": ` + text + `, "body": ` + text + `}}}]`:                                                             1,
		`[{"name": "send_message", "description": "Send it, by default to all.", "parameters": {"type": "object", "properties": {"to": ` + text + `, "body": ` + text + `}}}]`:                                          0,
		`[{"name": "get_message", "description": "Get it.", "parameters": {"type": "object", "properties": {"to": ` + text + `, "body": ` + text + `}}}]`:                                                               0,
		`[{"name": "create_monitor", "description": "Make it.", "parameters": {"type": "object", "required": ["team"], "properties": {"team": ` + text + `, "monitor": {"type": "object", "required": ["name"]}}}}]`:    1,
		`[{"name": "create_monitor", "description": "Make it.", "parameters": {"type": "object", "required": ["monitor"], "properties": {"team": ` + text + `, "monitor": {"type": "object", "required": ["name"]}}}}]`: 0,
	} {
		if found := of(t, tools(t, list), Options{Rules: []*Rule{nothingRequired}}); len(found) != want {
			t.Errorf("%d findings, expected %d, in %s", len(found), want, list)
		}
	}
}

// TestSources: an identifier comes from a tool whose name has the words between the verb and the noun,
// or from nowhere that is known.
func TestSources(t *testing.T) {
	t.Parallel()
	const id = `"parameters": {"type": "object", "required": ["hook_id"], "properties": {"hook_id": {"type": "string", "description": "The ID of the hook to ping"}}}`
	for list, want := range map[string]string{
		`[{"name": "list_repository_hooks", "description": "All."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                            `hook_id does not say where it comes from: add "from list_repository_hooks"`,
		`[{"name": "list_team_hooks", "description": "All."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                                  "hook_id does not say where it comes from: name the tool that finds it, or say where to look, with an example",
		`[{"name": "listHooksV1", "description": "All."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                                      `hook_id does not say where it comes from: add "from listHooksV1"`,
		`[{"name": "list_indexes", "description": "All."}, {"name": "describe_it", "description": "Describe it.", "parameters": {"type": "object", "required": ["index_name"], "properties": {"index_name": {"type": "string"}}}}]`:      `index_name does not say where it comes from: add "from list_indexes"`,
		`[{"name": "list_indexes", "description": "All."}, {"name": "create_it", "description": "Make it.", "parameters": {"type": "object", "required": ["index_name"], "properties": {"index_name": {"type": "string"}}}}]`:            "",
		`[{"name": "get_all_hooks", "description": "All."}, {"name": "get_hook", "description": "It.", ` + id + `}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                            `hook_id does not say where it comes from: add "from get_all_hooks"` + "\n" + `hook_id does not say where it comes from: add "from get_all_hooks"`,
		`[{"name": "add", "description": "As get_hooks shows."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                               `hook_id does not say where it comes from: add "from get_hooks"`,
		`[{"name": "start_session", "description": "Begin."}, {"name": "end_session", "description": "End it.", "parameters": {"required": ["session_id"], "properties": {"session_id": {"type": "string", "description": "Which."}}}}]`: `session_id does not say where it comes from: add "from start_session"`,
		`[{"name": "search", "description": "Find all."}, {"name": "end", "description": "End it.", "parameters": {"required": ["id"], "properties": {"id": {"type": "string", "description": "The item ID"}}}}]`:                        `id does not say where it comes from: add "from search"`,
		`[{"name": "list_people", "description": "All."}, {"name": "set", "description": "Set it.", "parameters": {"properties": {"owner": {"type": "string", "description": "The person ID of the owner"}}}}]`:                          `owner does not say where it comes from: add "from list_people"`,
		`[{"name": "find_it", "description": "All."}, {"name": "end", "description": "End it. Get the id from the shop.", "parameters": {"required": ["id"], "properties": {"id": {"type": "string", "description": "Numeric id"}}}}]`:   "",
		`[{"name": "find_it", "description": "All."}, {"name": "end", "description": "End it. Any id in the shop.", "parameters": {"required": ["id"], "properties": {"id": {"type": "string", "description": "Numeric id"}}}}]`:         "id does not say where it comes from: name the tool that finds it, or say where to look, with an example",
		`[{"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                                                                                      "",
		`[{"name": "add", "description": "Add it."}, {"name": "ping_repository_hook", "description": "Ping it.", ` + id + `}]`:                                                                                                           "hook_id does not say where it comes from: name the tool that finds it, or say where to look, with an example",
	} {
		var messages []string
		for _, finding := range of(t, tools(t, list), Options{Rules: []*Rule{unknownIdentifier}}) {
			messages = append(messages, finding.Message)
		}
		if got := strings.Join(messages, "\n"); got != want {
			t.Errorf("found %q, expected %q, in %s", got, want, list)
		}
	}
}

// TestTools: rules that look at whole tools tell those with a gap from those that only look alike.
func TestTools(t *testing.T) {
	t.Parallel()
	const text = `{"type": "string", "description": "Text."}`
	long := strings.Repeat("A definition with many words. ", 30)
	for _, test := range []struct {
		rule          *Rule
		found, others string // a list each
	}{
		{
			openObject, `[{"name": "change_workflow", "description": "Do it.", "parameters": {"properties": {"data": {"type": "object", "description": "Input."}}}}]`,
			`[{"name": "test_workflow", "description": "Do it.", "parameters": {"properties": {"data": {"type": "object", "description": "Input."}}}}]`,
		},
		{
			secretParameter, `[{"name": "set_token", "description": "Do it.", "parameters": {"properties": {"token": {"type": "string"}}}}]`,
			`[{"name": "exchange_token", "description": "Do it.", "parameters": {"properties": {"token": {"type": "string"}}}}]`,
		},
		{
			heavyTool, `[{"name": "f", "description": "Do it.", "parameters": {"$defs": {"a": {"description": "` + long + `"}, "b": {"type": "string"}}, "properties": {"p": {"$ref": "#/$defs/b"}}}}]`,
			`[{"name": "f", "description": "Do it.", "parameters": {"$defs": {"a": {"description": "` + long + `"}, "b": {"items": {"$ref": "#/$defs/a"}}}, "properties": {"p": {"$ref": "#/$defs/b"}}}}]`,
		},
		{
			noDescription, `[{"name": "pay", "description": "Pay, as in {\"dueSum\": 3}.", "parameters": {"properties": {"dueSum": {"type": "number"}}}}]`,
			`[{"name": "pay", "description": "Pay the dueSum, as in {\"dueSum\": 3}.", "parameters": {"properties": {"dueSum": {"type": "number"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string", "pattern": "^e", "description": "The one to stop"}}}}]`,
			`[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string", "description": "The one to stop, as returned by add"}}}}]`,
		},
		{
			sideEffect, `[{"name": "update_post", "description": "Change it.", "parameters": {"properties": {"tags": {"type": "array", "description": "Tags."}}}}]`,
			`[{"name": "update_post", "description": "Change it.", "parameters": {"properties": {"tags": {"type": "array", "description": "Tags, which replace the others."}, "add_tags": {"type": "array"}}}}]`,
		},
		{
			vagueResult, `[{"name": "export_report", "description": "Export a report."}]`,
			`[{"name": "export_report", "description": "Export a report to a file."}, {"name": "stop_job", "description": "Stop a job."}]`,
		},
		{
			vagueResult, `[{"name": "describe_room", "description": "Describes a room."}]`,
			`[{"name": "describe_table", "description": "Describes the schema of a table."}]`,
		},
		{
			sideEffect, `[{"name": "update_style", "description": "Change it.", "parameters": {"properties": {"style": {"type": "object", "description": "A style."}}}}]`,
			`[{"name": "update_style", "description": "Change it.", "parameters": {"properties": {"style": {"type": "object", "description": "A style; members left out are kept."}}}}]`,
		},
		{
			sideEffect, `[{"name": "save_page", "description": "Save a page.", "parameters": {"properties": {"outputPath": ` + text + `}}}]`,
			`[{"name": "save_page", "description": "Save a page.", "parameters": {"properties": {"outputPath": {"type": "string", "description": "Fails if it exists."}}}}, {"name": "save_page_twice", "description": "Save it.", "parameters": {"properties": {"page": ` + text + `}}}]`,
		},
		{
			sideEffect, `[{"name": "run_query", "description": "Run a SQL query.", "parameters": {"properties": {"sql": ` + text + `}}}]`,
			`[{"name": "run_query", "description": "Run a read-only SQL query.", "parameters": {"properties": {"sql": ` + text + `}}}, {"name": "run_search", "description": "Run a search.", "parameters": {"properties": {"query": ` + text + `}}}]`,
		},
		{
			sideEffect, `[{"name": "run_command", "description": "Run a command.", "parameters": {"required": ["command"], "properties": {"command": ` + text + `}}}]`,
			`[{"name": "run_command", "description": "Run a command that only reads (read-only).", "parameters": {"required": ["command"], "properties": {"command": ` + text + `}}}, {"name": "list_commands", "description": "List them.", "parameters": {"required": ["command"], "properties": {"command": ` + text + `}}}]`,
		},
		{
			sideEffect, `[{"name": "api_call", "description": "Call the API.", "parameters": {"properties": {"method": {"type": "string", "enum": ["GET", "DELETE"]}, "path": ` + text + `, "body": ` + text + `}}}]`,
			`[{"name": "api_call", "description": "Call the API.", "parameters": {"properties": {"method": {"type": "string", "enum": ["GET", "HEAD"]}, "path": ` + text + `, "body": ` + text + `}}}]`,
		},
		{
			sideEffect, `[{"name": "update_file", "description": "Change a file.", "parameters": {"properties": {"content": ` + text + `}}}]`,
			`[{"name": "update_comment", "description": "Change a comment.", "parameters": {"properties": {"content": ` + text + `}}}]`,
		},
		{
			vagueResult, `[{"name": "run_script", "description": "Run a script."}]`,
			`[{"name": "run_script", "description": "Run a script, and return what it prints."}, {"name": "run_query", "description": "Run a query."}]`,
		},
		{
			vagueResult, `[{"name": "put", "description": "Perform an HTTP PUT request"}]`,
			`[{"name": "put", "description": "Perform an HTTP PUT request and return status and body"}]`,
		},
		{
			vagueResult, `[{"name": "get_transcript", "description": "Get the transcript of a talk."}]`,
			`[{"name": "get_transcript", "description": "Get the transcript of a talk, with timestamps."}, {"name": "list_transcripts", "description": "List the transcripts of a talk."}]`,
		},
		{
			vagueResult, `[{"name": "ponder", "description": "Think step by step.", "parameters": {"required": ["thought"], "properties": {"thought": ` + text + `}}}]`,
			`[{"name": "ponder", "description": "Think step by step. Returns the number of thoughts.", "parameters": {"required": ["thought"], "properties": {"thought": ` + text + `}}}]`,
		},
		{
			secretParameter, `[{"name": "get_type", "description": "Get it.", "parameters": {"properties": {"params": {"type": "object", "properties": {"Authorization": {"type": "string"}}}}}}]`,
			`[{"name": "delete_token", "description": "Delete it.", "parameters": {"properties": {"token": {"type": "string"}}}}]`,
		},
		{
			httpWords, `[{"name": "get_type", "description": "Get it.", "parameters": {"properties": {"x-room": {"type": "string"}}}}]`,
			`[{"name": "answer", "description": "Answer it.", "parameters": {"properties": {"accept": {"type": "boolean"}}}}]`,
		},
		{
			sideEffect, `[{"name": "update_card", "description": "Change it.", "parameters": {"properties": {"card": {"type": "object"}, "links": {"type": "array", "items": ` + text + `}}}}]`,
			`[{"name": "update_card", "description": "Changes only what is given.", "parameters": {"properties": {"card": {"type": "object"}, "colour": {"type": "array", "items": {"type": "number"}}, "at": {"type": "object", "properties": {"day": ` + text + `}}}}}]`,
		},
		{
			sideEffect, `[{"name": "create_scene", "description": "Make a scene.", "parameters": {"required": ["scene_path"], "properties": {"scene_path": {"type": "string", "description": "Relative to the project."}}}}]`,
			`[{"name": "create_journey", "description": "Plan a journey.", "parameters": {"required": ["destination"], "properties": {"destination": {"type": "string", "description": "Where to go."}}}}]`,
		},
		{
			sideEffect, `[{"name": "record_sound", "description": "Record what is heard."}]`,
			`[{"name": "record_sound", "description": "Record what is heard until stop_sound is called."}, {"name": "record_songs", "description": "Record them.", "parameters": {"properties": {"timeout": {"type": "integer"}}}}]`,
		},
		{
			sideEffect, `[{"name": "power_cycle", "description": "Power cycle an engine."}]`,
			`[{"name": "remove_label", "description": "Remove a label from an issue."}, {"name": "clear_cache", "description": "Clear it."}]`,
		},
		{
			vagueResult, `[{"name": "run_tests", "description": "Run tests."}]`,
			`[{"name": "run_tests", "description": "Run tests and return those that fail."}, {"name": "cancel_test_run", "description": "Cancel it."}]`,
		},
		{
			vagueResult, `[{"name": "generate_logo", "description": "Generate a logo."}]`,
			`[{"name": "generate_logo", "description": "Generate a logo, as a URL."}, {"name": "create_logo", "description": "Create one on a slide."}]`,
		},
		{
			deprecatedPart, `[{"name": "f", "description": "Do it.", "parameters": {"properties": {"name": ` + text + `, "title": {"type": "string", "description": "Alias for name."}}}}]`,
			`[{"name": "f", "description": "Do it.", "parameters": {"properties": {"name": ` + text + `, "account": {"type": "string", "description": "Alias of the account."}}}}]`,
		},
		{
			heavyTool, `[{"name": "f", "description": "Do it.", "parameters": {"properties": {"a": {"type": "string", "description": "` + long + `"}}}}]`,
			`[{"name": "f", "description": "Do it.", "parameters": {"properties": {"a": ` + text + `}}}]`,
		},
		{
			manyParameters, `[{"name": "f", "description": "Do it.", "parameters": {"properties": {"a": {"type": "object", "properties": {` + colors(21) + `}}}}}]`,
			`[{"name": "f", "description": "Do it.", "parameters": {"properties": {"a": {"type": "object", "properties": {` + colors(20) + `}}}}}]`,
		},
		{
			instruction, `[{"name": "f", "description": "Called whenever the user says anything."}]`,
			`[{"name": "f", "description": "Called whenever the user opens a door."}]`,
		},
		{
			tellsModel, `[{"name": "f", "description": "IMPORTANT: Full paths are better."}]`,
			`[{"name": "f", "description": "Lists IMPORTANT mail FIRST."}]`,
		},
		{
			httpWords, `[{"name": "f", "description": "Do it, or fail (HTTP 422)."}]`,
			`[{"name": "f", "description": "Do it with 3 of them."}, {"name": "stop_endpoint", "description": "Stop this endpoint."}]`,
		},
		{
			sideEffect, `[{"name": "delete_label", "description": "Delete a label of a project, which is identified by its number or by its name, as list_labels shows them."}]`,
			`[{"name": "delete_label", "description": "Take a label off an issue."}, {"name": "drop_text", "description": "Drop a text onto a page."}]`,
		},
		{
			noPages, `[{"name": "get_orders", "description": "Orders.", "parameters": {"properties": {"limit": {"type": "integer", "description": "Up to 9."}}}}]`,
			`[{"name": "get_orders", "description": "Orders.", "parameters": {"properties": {"limit": {"type": "integer", "description": "Up to 9."}, "after": ` + text + `}}}, {"name": "get_recent_orders", "description": "Orders.", "parameters": {"properties": {"limit": {"type": "integer", "description": "Up to 9."}}}}, {"name": "get_sales", "description": "Sales.", "parameters": {"properties": {"limit": {"type": "integer", "description": "How many."}}}}]`,
		},
		{
			nothingRequired, `[{"name": "create_order", "description": "Make it.", "parameters": {"required": ["order"], "properties": {"order": {"type": "object", "properties": {"a": ` + text + `, "b": ` + text + `}}}}}]`,
			`[{"name": "create_order", "description": "Make it.", "parameters": {"required": ["order"], "properties": {"order": {"type": "object", "required": ["a"], "properties": {"a": ` + text + `, "b": ` + text + `}}}}}]`,
		},
		{
			nothingRequired, `[{"name": "create_orders", "description": "Make some.", "parameters": {"required": ["data"], "properties": {"data": {"type": "object", "properties": {"all": {"type": "array", "items": {"type": "object", "properties": {"a": ` + text + `, "b": ` + text + `}}}}}}}}]`,
			`[{"name": "create_orders", "description": "Make some.", "parameters": {"required": ["data"], "properties": {"data": {"type": "object", "properties": {"all": {"type": "array", "items": {"type": "object", "required": ["a"], "properties": {"a": ` + text + `, "b": ` + text + `}}}}}}}}]`,
		},
		{
			nothingRequired, `[{"name": "lookup_host", "description": "Find a host by its address.", "parameters": {"properties": {"address": ` + text + `, "verbose": {"type": "boolean"}}}}]`,
			`[{"name": "lookup_host", "description": "The host by its address, or the current one.", "parameters": {"properties": {"address": ` + text + `}}}]`,
		},
		{
			nothingRequired, `[{"name": "pin_note", "description": "Pin a note on a board of the school.", "parameters": {"required": ["x"], "properties": {"x": {"type": "integer"}, "board_id": ` + text + `}}}]`,
			`[{"name": "pin_note", "description": "Pin a note; the board is that of the school.", "parameters": {"required": ["x"], "properties": {"x": {"type": "integer"}, "board_id": ` + text + `}}}, {"name": "board_colour", "description": "The colour of all boards.", "parameters": {"properties": {"board_id": ` + text + `}}}]`,
		},
		{
			nothingRequired, `[{"name": "board_colour", "description": "Its colour.", "parameters": {"properties": {"board_id": ` + text + `}}}]`,
			`[{"name": "board_colour", "description": "Its colour.", "parameters": {"properties": {"shop_id": ` + text + `}}}]`,
		},
		{
			contradiction, `[{"name": "scan_text", "description": "Analyze a text for errors."}]`,
			`[{"name": "scan_text", "description": "Analyze a text for errors.", "parameters": {"properties": {"text": ` + text + `}}}]`,
		},
		{
			contradiction, `[{"name": "colour_of", "description": "The colour of the given cell."}]`,
			`[{"name": "colour_of", "description": "The colour of the first cell."}]`,
		},
		{
			nothingRequired, `[{"name": "delete_task", "description": "Undo or delete it.", "parameters": {"properties": {"task_id": ` + text + `}}}]`,
			`[{"name": "delete_task", "description": "Delete it, or all.", "parameters": {"properties": {"task_id": ` + text + `}}}]`,
		},
		{
			harmfulDefault, `[{"name": "update_page", "description": "Change it.", "parameters": {"properties": {"colour": {"type": "string", "default": "red", "description": "The new colour."}}}}]`,
			`[{"name": "update_page", "description": "Change it.", "parameters": {"properties": {"dry_run": {"type": "boolean", "default": true, "description": "Whether the change is made."}}}}, {"name": "make_page", "description": "Make it.", "parameters": {"properties": {"colour": {"type": "string", "default": "red", "description": "The new colour."}}}}]`,
		},
		{
			harmfulDefault, `[{"name": "create_page", "description": "Make it.", "parameters": {"properties": {"colour": {"type": "string", "default": "red"}}}}, {"name": "update_page", "description": "Change it.", "parameters": {"properties": {"colour": {"type": "string", "default": "red"}}}}]`,
			`[{"name": "create_page", "description": "Make it.", "parameters": {"properties": {"colour": {"type": "string", "default": "red"}}}}, {"name": "update_page", "description": "Change it.", "parameters": {"properties": {"zoom": {"type": "integer", "default": 1}}}}]`,
		},
		{
			noDefault, `[{"name": "list_rooms", "description": "Rooms of the project.", "parameters": {"properties": {"project_id": ` + text + `}}}]`,
			`[{"name": "list_rooms", "description": "Rooms of a house.", "parameters": {"properties": {"project_id": ` + text + `}}}]`,
		},
		{
			noDefault, `[{"name": "a", "description": "A.", "parameters": {"required": ["document"], "properties": {"document": ` + text + `}}}, {"name": "b", "description": "B.", "parameters": {"properties": {"device": ` + text + `}}}, {"name": "c", "description": "C of the device.", "parameters": {"properties": {"device": ` + text + `}}}]`,
			`[{"name": "b", "description": "B; without device, of all.", "parameters": {"properties": {"device": ` + text + `}}}, {"name": "c", "description": "C.", "parameters": {"required": ["action"], "properties": {"action": {"type": "string", "enum": ["get", "put"]}, "device": ` + text + `}}}]`,
		},
		{
			noDefault, `[{"name": "water_usage", "description": "Litres a day.", "parameters": {"properties": {"start_date": ` + text + `}}}]`,
			`[{"name": "water_usage", "description": "Litres a day; without a range, of this month.", "parameters": {"properties": {"start_date": ` + text + `}}}, {"name": "list_bills", "description": "Bills.", "parameters": {"properties": {"start_date": ` + text + `}}}]`,
		},
		{
			noDefault, `[{"name": "create_token", "description": "Make it.", "parameters": {"properties": {"expires_at": ` + text + `}}}]`,
			`[{"name": "update_token", "description": "Change it.", "parameters": {"properties": {"expires_at": ` + text + `, "layout": {"type": "string", "enum": ["a", "b"]}}}}]`,
		},
		{
			noMaximum, `[{"name": "find_rooms", "description": "Rooms.", "parameters": {"properties": {"count": {"type": "integer"}}}}]`,
			`[{"name": "delete_rooms", "description": "Rooms.", "parameters": {"properties": {"limit": {"type": "integer"}}}}, {"name": "find_rooms", "description": "Rooms.", "parameters": {"properties": {"count": {"type": "integer", "description": "Beds."}}}}]`,
		},
		{
			nothingRequired, `[{"name": "find", "description": "Find it.", "parameters": {"properties": {"params": {"type": "object", "required": ["a"], "properties": {"a": ` + text + `}}}}}]`,
			`[{"name": "find", "description": "Find it.", "parameters": {"properties": {"place": {"type": "object", "required": ["a"], "properties": {"a": ` + text + `}}}}}]`,
		},
		{
			requiredOfMode, `[{"name": "get_user", "description": "A user by user ID or email.", "parameters": {"properties": {"user_id": ` + text + `, "id": ` + text + `, "email": ` + text + `}}}]`,
			`[{"name": "get_users", "description": "Users, filtered by id or email.", "parameters": {"properties": {"id": ` + text + `, "email": ` + text + `}}}]`,
		},
		{
			requiredOfMode, `[{"name": "read", "description": "Read posts.", "parameters": {"required": ["by"], "properties": {"by_mode": ` + text + `, "select_mode": {"type": "string", "enum": ["latest", "post_ids"]}, "post_ids": ` + text + `, "user": ` + text + `}}}, {"name": "edit", "description": "Edit posts.", "parameters": {"required": ["select_mode"], "properties": {"select_mode": {"type": "string", "enum": ["latest", "post_ids"]}, "post_ids": ` + text + `, "user": ` + text + `}}}]`,
			`[{"name": "edit", "description": "Edit posts; post_ids needs that list.", "parameters": {"required": ["select_mode"], "properties": {"select_mode": {"type": "string", "enum": ["latest", "post_ids"]}, "post_ids": ` + text + `, "user": ` + text + `}}}]`,
		},
		{
			requiredOfMode, `[{"name": "update_user", "description": "Change a user; at least one of these fields must be provided.", "parameters": {"required": ["id"], "properties": {"id": ` + text + `, "mail": ` + text + `, "phone": ` + text + `}}}]`,
			`[{"name": "update_user", "description": "Change a user; at least one of these fields must be provided.", "parameters": {"required": ["id"], "minProperties": 2, "properties": {"id": ` + text + `, "mail": ` + text + `, "phone": ` + text + `}}}]`,
		},
		{
			unlistedModes, `[{"name": "get_users", "description": "A user.", "parameters": {"properties": {"team_id": ` + text + `, "team_slug": ` + text + `}}}]`,
			`[{"name": "create_team", "description": "A team.", "parameters": {"properties": {"team_id": ` + text + `, "team_slug": ` + text + `}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "list_apps", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["app"], "properties": {"app": {"type": "string", "description": "Name of it"}}}}]`,
			`[{"name": "list_emails", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["email"], "properties": {"email": {"type": "string", "description": "Name of it"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "list_apps", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"properties": {"app_ids": {"type": "array", "items": {"type": "string"}, "description": "Those to stop"}}}}]`,
			`[{"name": "list_apps", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"properties": {"app_ids": {"type": "array", "items": {"type": "string"}, "description": "Those to stop; see list_apps"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string", "description": "The machine that ought to rest"}}}}]`,
			`[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string", "description": "The machine that ought to rest, by its name"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string"}}}}]`,
			`[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it. First call list_engines to get valid ids.", "parameters": {"required": ["engine_id"], "properties": {"engine_id": {"type": "string"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "list_ships", "description": "All."}, {"name": "sink", "description": "Sink it.", "parameters": {"required": ["name"], "properties": {"name": {"type": "string", "description": "Name of the ship to sink"}}}}]`,
			`[{"name": "list_ships", "description": "All."}, {"name": "open_port", "description": "Open it.", "parameters": {"required": ["name"], "properties": {"name": {"type": "string", "description": "Name of the ship to sink"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["file_key"], "properties": {"file_key": {"type": "string", "description": "The one to stop"}}}}]`,
			`[{"name": "add", "description": "All."}, {"name": "stop", "description": "Stop it.", "parameters": {"required": ["search_key"], "properties": {"search_key": {"type": "string", "description": "The one to stop"}}}}]`,
		},
		{
			unknownIdentifier, `[{"name": "list_apps", "description": "All. See get_news."}, {"name": "stop", "description": "Stop it, as get_news says.", "parameters": {"required": ["app_id"], "properties": {"app_id": {"type": "string", "description": "Its ID"}}}}]`,
			`[{"name": "list_apps", "description": "All."}, {"name": "stop", "description": "Stop one of list_apps.", "parameters": {"required": ["app_id"], "properties": {"app_id": {"type": "string", "description": "Its ID"}}}}]`,
		},
	} {
		if found := of(t, tools(t, test.found), Options{Rules: []*Rule{test.rule}}); len(found) != 1 {
			t.Errorf("%s: %d findings in %s", test.rule.Name, len(found), test.found)
		}
		for _, finding := range of(t, tools(t, test.others), Options{Rules: []*Rule{test.rule}}) {
			t.Errorf("%s: %s, in %s", test.rule.Name, finding.Message, test.others)
		}
	}
}

// TestOverwrites: the message names the argument that says where a file is saved, not the one that says which.
func TestOverwrites(t *testing.T) {
	t.Parallel()
	found := of(t, tools(t, `[{"name": "download_attachment", "description": "Download it.", "parameters": {"properties": {"filename": {"type": "string"}, "local_path": {"type": "string"}}}}]`), Options{Rules: []*Rule{sideEffect}})
	if len(found) != 1 || !strings.Contains(found[0].Message, "local_path") {
		t.Errorf("%v does not name local_path", found)
	}
}
