package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Elicitation is the form that a server lets a client show to its user: the requestedSchema of
// elicitation/create. The clients of the official SDKs refuse a form before the user sees it. Of those of the
// TypeScript SDK 1.x and 2.x the words are this model's own, because theirs have hundreds of lines for one
// property; the rules of the stage goForm, which the client of the Go SDK alone has, are in its words.
var Elicitation = &provider.Dialect{
	Name:      "mcp/elicitation",
	Doc:       "forms for a user, the requestedSchema of elicitation/create, as clients of the Model Context Protocol read them",
	Rules:     slices.Concat(formRules, goFormRules, []*provider.Rule{formDropped}),
	Path:      string(provider.ElicitationCreate),
	API:       provider.ElicitationCreate,
	Subject:   provider.Answer,
	Schema:    requestedSchema,
	MostTools: 1,
	AsGiven:   "only the author knows what to ask of a user in place of it",
	Unordered: true, // the Go SDK reads the properties in any order
	Declare: func(tool schema.Tool) *schema.Node {
		message := tool.Description
		if message == nil || message.Kind != schema.String {
			message = schema.NewString(tool.Name)
		}
		form := provider.Object("mode", schema.NewString("form"), "message", message)
		if tool.Parameters != nil {
			form.Set("requestedSchema", tool.Parameters)
		}
		return form
	},
	Envelope: func(declarations []*schema.Node) *schema.Node {
		params := schema.NewObject()
		if len(declarations) > 0 {
			params = declarations[0]
		}
		return provider.Object("jsonrpc", schema.NewString("2.0"), "id", schema.NewInt(1), "method", schema.NewString(string(provider.ElicitationCreate)), "params", params)
	},
	Render:   renderError,
	Classify: classifyForm,
	Locate:   locateForm,
}

// requestedSchema is the place of the schema in the parameters of elicitation/create.
const requestedSchema = "/requestedSchema"

// The days of releases that began to read forms, or read more of them.
const (
	goSDK03 = "2025-08-22" // 0.3.0 of the Go SDK: forms
	goSDK14 = "2026-02-27" // 1.4.0 of the Go SDK: lists, and titles of choices
)

// Where the rules are known from. The referee lab/referees/mcp-clients asks the clients.
const (
	formSource = "specification of 2025-11-25, client/elicitation, and its schema.ts; ElicitRequestSchema of the npm packages @modelcontextprotocol/sdk 1.13.0 to 1.32.2 " +
		"and @modelcontextprotocol/client 2.4.0, as of 2026-11-28"
	goFormSource = "validateElicitSchema in mcp/client.go of github.com/modelcontextprotocol/go-sdk 0.3.0 to 1.8.0, as of 2026-11-28"
)

// form is the stage in which a client of the TypeScript SDK parses a form. The Subject is a *formField.
var form = &provider.Stage{Name: "form", All: true, Walk: walkForm}

// goForm is the stage in which the client of the Go SDK reads a form that those of the TypeScript SDK take.
var goForm = &provider.Stage{Name: "form of the Go SDK", All: true, Walk: walkForm}

// formField is what a stage knows of a place in a form.
type formField struct {
	name   string // of the property; empty at the root
	isRoot bool
	day    provider.Date
}

// walkForm visits the requestedSchema and each of its properties.
func walkForm(request provider.Request, _ int, visitor *provider.Visitor) {
	for i, declaration := range request.Declarations {
		root := declaration.Get("requestedSchema")
		if root == nil {
			root = schema.NewObject()
		}
		visitor.VisitAll(&provider.Pass{Request: request, Declaration: i, Node: root, At: []byte("/parameters"), Subject: &formField{isRoot: true, day: visitor.Day}})
		for _, property := range membersOf(root.Get("properties")) {
			at := schema.Pointer("/parameters/properties").Child(property.Key)
			visitor.ChargeText(len(at))
			visitor.VisitAll(&provider.Pass{Request: request, Declaration: i, Node: property.Value, At: []byte(at), Subject: &formField{name: property.Key, day: visitor.Day}})
		}
	}
}

// property returns the name of the property that a rule looks at, and the day; ok is false at the root, and for a
// property that is no object, which formType reports.
func property(p *provider.Pass) (name string, day provider.Date, ok bool) {
	subject := p.Subject.(*formField) //nolint:forcetypeassert // the stages' own type
	return subject.name, subject.day, !subject.isRoot && p.Node.Kind == schema.Object
}

// refuseForm reports what a client expects at a member of the place, or at the place itself if the name is empty.
func refuseForm(p *provider.Pass, member, expected string) {
	place := *p
	received := "nothing"
	if member != "" {
		place.At = []byte(schema.Pointer(p.At).Child(member))
		place.Node = p.Node.Get(member)
	}
	if place.Node != nil {
		received = shortened(place.Node)
	} else {
		place.At, place.Node = p.At, p.Node // which lacks the member
	}
	where := strings.Replace(string(schema.Pointer(p.At)), "/parameters", requestedSchema, 1)
	if member != "" {
		where = string(schema.Pointer(where).Child(member))
	}
	place.Reportf("Invalid elicitation request: %s: expected %s, received %s", where, expected, received)
}

// shortened returns a value for a message.
func shortened(node *schema.Node) string {
	const longest = 60
	switch node.Kind {
	case schema.Object:
		return "an object"
	case schema.Array:
		if len(node.Elements) > 3 { //nolint:mnd // a list of types has two or three
			return "a list"
		}
	default:
	}
	if text := []rune(node.String()); len(text) > longest {
		return string(text[:longest]) + "..."
	}
	return node.String()
}

// formRules are what the clients of the TypeScript SDK refuse in a form.
var formRules = []*provider.Rule{formRoot, formType, formList, formFormat, formDefault, formKeyword}

// formRoot reports a form that is no flat object.
var formRoot = &provider.Rule{
	Name: "form_root", Effect: provider.Rejects, Stage: form, Since: sdk13,
	Doc: `a requestedSchema is an object of type object with properties

Both type and properties must be there, and required is a list of strings. The client of the Go SDK also
takes a form without a type or without properties.`,
	Source: formSource,
	Check: func(p *provider.Pass) {
		switch subject := p.Subject.(*formField); { //nolint:forcetypeassert // the stage's own type
		case !subject.isRoot:
			return
		case p.Node.Kind != schema.Object:
			refuseForm(p, "", "an object")
			return
		}
		if !p.Node.Get("type").Is("object") {
			refuseForm(p, "type", `"object"`)
		}
		if properties := p.Node.Get("properties"); properties == nil || properties.Kind != schema.Object {
			refuseForm(p, "properties", "an object")
		}
		if p.Node.Has("required") && !areStrings(p.Node.Get("required")) {
			refuseForm(p, "required", "a list of strings")
		}
	},
}

// formTypes are the types of properties.
var formTypes = []string{"string", "number", "integer", "boolean", "array"}

// formType reports a property that is of no primitive type.
var formType = &provider.Rule{
	Name: "form_type", Effect: provider.Rejects, Stage: form, Since: sdk13,
	Doc: `a property of a form has one type: string, number, integer or boolean, or array for a choice of several

Nested objects, null, lists of types, $ref and unions are refused: a client shows one field for each
property. Lists are read since 1.22.0 (2025-11-13) of the TypeScript SDK and 1.4.0 (2026-02-27) of the Go SDK,
by the specification of 2025-11-25. Threads: https://github.com/PrefectHQ/fastmcp/issues/1632;
https://github.com/PrefectHQ/fastmcp/issues/2773.`,
	Source: formSource,
	Check: func(p *provider.Pass) {
		if p.Subject.(*formField).isRoot { //nolint:forcetypeassert // the stage's own type
			return
		}
		if p.Node.Kind != schema.Object {
			refuseForm(p, "", "an object")
			return
		}
		types := formTypes
		if _, day, _ := property(p); day < sdk22 {
			types = formTypes[:4]
		}
		if !slices.ContainsFunc(types, p.Node.Get("type").Is) {
			refuseForm(p, "type", `"`+strings.Join(types[:len(types)-1], `", "`)+`" or "`+types[len(types)-1]+`"`)
		}
	},
}

// formList reports a list that is no choice.
var formList = &provider.Rule{
	Name: "form_list", Effect: provider.Rejects, Stage: form, Since: sdk22,
	Doc: `the items of a list are a choice

They are of type string with an enum of strings, or an anyOf of objects that have const and title. A list of
free text is refused.`,
	Source: formSource,
	Check: func(p *provider.Pass) {
		if _, _, ok := property(p); !ok || !p.Node.Get("type").Is("array") {
			return
		}
		items := p.Node.Get("items")
		isUntitled := items.Get("type").Is("string") && areStrings(items.Get("enum"))
		if items == nil || items.Kind != schema.Object || !isUntitled && !areTitled(items.Get("anyOf")) {
			refuseForm(p, "items", "an enum of strings, or an anyOf of objects with const and title")
		}
	},
}

// formFormat reports a format that forms do not have.
var formFormat = &provider.Rule{
	Name: "form_format", Effect: provider.Rejects, Stage: form, Since: sdk13,
	Doc: `the format of a string is email, uri, date or date-time

Others, such as uuid and hostname, are refused, unless the string is a choice.`,
	Source: formSource,
	Check: func(p *provider.Pass) {
		_, day, ok := property(p)
		formats := []string{"email", "uri", "date", "date-time"}
		if ok && p.Node.Get("type").Is("string") && !isChoice(p.Node, day) && p.Node.Has("format") && !slices.ContainsFunc(formats, p.Node.Get("format").Is) {
			refuseForm(p, "format", `"email", "uri", "date" or "date-time"`)
		}
	},
}

// formDefault reports a default of another type.
var formDefault = &provider.Rule{
	Name: "form_default", Effect: provider.Rejects, Stage: form, Since: sdk13,
	Doc: `a default has the type of its property

null is no default. That of a boolean is checked since forms exist, that of the other types since 1.22.0
(2025-11-13).`,
	Source: formSource,
	Check: func(p *provider.Pass) {
		_, day, ok := property(p)
		given := p.Node.Get("default")
		if !ok || given == nil {
			return
		}
		switch kind := p.Node.GetString("type"); {
		case kind == "boolean" && given.Kind != schema.Bool:
			refuseForm(p, "default", "true or false")
		case day < sdk22:
		case kind == "string" && given.Kind != schema.String:
			refuseForm(p, "default", "a string")
		case (kind == "number" || kind == "integer") && given.Kind != schema.Number:
			refuseForm(p, "default", "a number")
		case kind == "array" && !areStrings(given):
			refuseForm(p, "default", "a list of strings")
		}
	},
}

// formKeyword reports a keyword whose value has another type.
var formKeyword = &provider.Rule{
	Name: "form_keyword", Effect: provider.Rejects, Stage: form, Since: sdk13,
	Doc: `title and description are strings, and bounds are numbers

Of a choice, minLength and maxLength are not read.`,
	Source: formSource,
	Check: func(p *provider.Pass) {
		_, day, ok := property(p)
		if !ok {
			return
		}
		texts, numbers := []string{"title", "description"}, []string{}
		switch kind := p.Node.GetString("type"); {
		case kind == "string" && !isChoice(p.Node, day):
			numbers = []string{"minLength", "maxLength"}
		case kind == "number" || kind == "integer":
			numbers = []string{"minimum", "maximum"}
		case kind == "array":
			numbers = []string{"minItems", "maxItems"}
		}
		for _, name := range texts {
			if value := p.Node.Get(name); value != nil && value.Kind != schema.String {
				refuseForm(p, name, "a string")
			}
		}
		for _, name := range numbers {
			if value := p.Node.Get(name); value != nil && value.Kind != schema.Number {
				refuseForm(p, name, "a number")
			}
		}
	},
}

// isChoice reports whether a string has values to choose from, in a form that the clients of the TypeScript SDK
// read on a day.
func isChoice(node *schema.Node, day provider.Date) bool {
	return areStrings(node.Get("enum")) || day >= sdk22 && areTitled(node.Get("oneOf"))
}

// areStrings reports whether a value is a list of strings.
func areStrings(node *schema.Node) bool {
	return node != nil && node.Kind == schema.Array && !slices.ContainsFunc(node.Elements, func(element *schema.Node) bool { return element.Kind != schema.String })
}

// areTitled reports whether a value is a list of objects whose const and title are strings.
func areTitled(node *schema.Node) bool {
	return node != nil && node.Kind == schema.Array && !slices.ContainsFunc(node.Elements, func(element *schema.Node) bool {
		value, title := element.Get("const"), element.Get("title")
		return value == nil || value.Kind != schema.String || title == nil || title.Kind != schema.String
	})
}

// formDropped reports what the clients of the TypeScript SDK take out of a form.
var formDropped = &provider.Rule{
	Name: "form_dropped", Effect: provider.Ignores, Stage: form, Since: sdk22,
	Doc: `a client shows and checks only what forms have

The clients of the TypeScript SDK remove other keywords before they hand the form to the application, such as
pattern, which the text of the specification of 2025-11-25 shows and its schema.ts does not have, and an enum
of numbers. A user is then asked without them. The client of the Go SDK hands on the whole form.`,
	Source: formSource,
	Check: func(p *provider.Pass) {
		_, day, ok := property(p)
		if !ok {
			return
		}
		read := []string{"type", "title", "description", "default"}
		switch kind := p.Node.GetString("type"); {
		case kind == "string" && areStrings(p.Node.Get("enum")):
			read = append(read, "enum", "enumNames")
		case kind == "string" && isChoice(p.Node, day):
			read = append(read, "oneOf")
		case kind == "string":
			read = append(read, "minLength", "maxLength", "format")
		case kind == "number" || kind == "integer":
			read = append(read, "minimum", "maximum")
		case kind == "array":
			read = append(read, "minItems", "maxItems", "items")
		}
		p.Charge(len(p.Node.Members))
		for _, member := range p.Node.Members {
			if slices.Contains(read, member.Key) || schema.IsAnnotation(member.Key) || schema.IsMeta(member.Key) {
				continue
			}
			place := *p
			place.Node, place.At = member.Value, []byte(schema.Pointer(p.At).Child(member.Key))
			place.Reportf("%s is removed before the form is shown", member.Key)
		}
	},
}

// goFormRules are what the client of the Go SDK refuses in a form, and those of the TypeScript SDK take.
var goFormRules = []*provider.Rule{goFormValue, goFormNested, goFormNames, goFormTitles, goFormItems, goFormBounds}

// goFormValue reports a keyword whose value the Go SDK cannot read.
var goFormValue = &provider.Rule{
	Name: "go_form_value", Effect: provider.Rejects, Stage: goForm, Since: goSDK03,
	Doc: `the keywords of a form have values of their kinds, even those that no client shows

The client of the Go SDK reads the whole form as JSON Schema, in which minLength is a whole number. The words
are this model's own.`,
	Source: goFormSource,
	Check: func(p *provider.Pass) {
		if p.Node.Kind != schema.Object {
			return
		}
		p.Charge(len(p.Node.Members))
		for _, member := range p.Node.Members {
			taken, value := ajv2019.kinds[member.Key], member.Value
			isWrong := taken != nil && member.Key != "nullable" && value.Kind != schema.Null && !slices.Contains(taken, value.Kind.String())
			isWhole := !slices.Contains(wholeNumbers, member.Key) || value.Kind != schema.Number || isInt32(value)
			if !isWrong && isWhole {
				continue
			}
			place := *p
			place.Node, place.At = value, []byte(schema.Pointer(p.At).Child(member.Key))
			place.Reportf("elicit schema cannot be read: %s is %s", member.Key, shortened(value))
		}
	},
}

// wholeNumbers are the keywords whose values the Go SDK reads as integers.
var wholeNumbers = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}

// isInt32 reports whether a number is an integer that the Go SDK reads.
func isInt32(node *schema.Node) bool {
	value, err := json.Number(node.Text).Float64()
	return err == nil && value == float64(int32(value)) && (strings.Contains(node.Text, ".") || !strings.ContainsAny(node.Text, "eE"))
}

// goFormNested reports a property of a primitive type that has properties.
var goFormNested = goFormRule("go_form_nested", goSDK03, `a property of a form has no properties of its own

Those of the TypeScript SDK remove them.`,
	func(p *provider.Pass, name string) {
		if slices.ContainsFunc(formTypes, p.Node.Get("type").Is) && len(membersOf(p.Node.Get("properties"))) > 0 {
			p.Reportf("elicit schema property %q contains nested properties, only primitive properties are allowed", name)
		}
	})

// goFormNames reports names of choices that are not one for each.
var goFormNames = goFormRule("go_form_names", goSDK03, `enumNames has a name for each value of enum

enumNames is how choices were titled before 2025-11-25, which made oneOf with const and title of it.`,
	func(p *provider.Pass, name string) {
		values, names := p.Node.Get("enum"), p.Node.Get("enumNames")
		switch {
		case !p.Node.Get("type").Is("string") || values == nil || len(values.Elements) == 0 || names == nil:
		case names.Kind != schema.Array:
			p.Reportf("elicit schema property %q has invalid enumNames type, must be an array", name)
		case len(names.Elements) != len(values.Elements):
			p.Reportf("elicit schema property %q has %d enum values but %d enumNames, they must match", name, len(values.Elements), len(names.Elements))
		}
	})

// goFormTitles reports a titled choice without a value or a title.
var goFormTitles = goFormRule("go_form_titles", goSDK14, `each entry of a titled choice has a const and a title, which are strings and not empty

The clients of the TypeScript SDK take a oneOf with other entries for free text. An entry that is null ends the client of
the Go SDK 1.4.0 to 1.8.0: it does not recover from the nil pointer.`,
	func(p *provider.Pass, name string) {
		values, choices, items := p.Node.Get("enum"), p.Node.Get("oneOf"), p.Node.Get("items")
		switch kind := p.Node.GetString("type"); {
		case kind == "string" && (values == nil || len(values.Elements) == 0) && choices != nil:
			if fault := untitled(choices.Elements); fault != "" {
				p.Reportf("elicit schema property %q oneOf has invalid entry: %s", name, fault)
			}
		case kind == "array" && items.GetString("type") == "" && items.Has("anyOf"):
			if fault := untitled(items.Get("anyOf").Elements); fault != "" {
				p.Reportf("elicit schema property %q items has invalid entry: %s", name, fault)
			}
		}
	})

// untitled returns what the Go SDK says to the first entry of a titled choice that it refuses; empty if there is
// none.
func untitled(entries []*schema.Node) string {
	for _, entry := range entries {
		switch value := entry.Get("const"); {
		case value == nil:
			return "const is required for titled enum entries"
		case value.Kind != schema.String:
			return "const must be a string for titled enum entries"
		case value.Text == "":
			return "const cannot be empty for titled enum entries"
		case entry.GetString("title") == "":
			return "title is required for titled enum entries"
		}
	}
	return ""
}

// goFormItems reports a list that mixes the two kinds of choices.
var goFormItems = goFormRule("go_form_items", goSDK14, `the items of a list with an anyOf have no type, and one choice at least`,
	func(p *provider.Pass, name string) {
		items := p.Node.Get("items")
		if !p.Node.Get("type").Is("array") || !areTitled(items.Get("anyOf")) {
			return // which is another choice, or none
		}
		switch kind := items.GetString("type"); {
		case kind == "" && len(items.Get("anyOf").Elements) == 0:
			p.Reportf("elicit schema property %q items must specify anyOf for titled enums", name)
		case kind == "string" && !items.Has("enum"):
			p.Reportf("elicit schema property %q items must specify enum for untitled enums", name)
		case kind != "" && kind != "string":
			p.Reportf("elicit schema property %q items have unsupported type %q", name, kind)
		}
	})

// goFormBounds reports bounds that nothing fulfils.
var goFormBounds = goFormRule("go_form_bounds", goSDK03, `a maximum is not below its minimum, and a length is not negative

Those of the TypeScript SDK show the field, which no answer fulfils.`,
	func(p *provider.Pass, name string) {
		number := func(keyword string) (value float64, ok bool) {
			node := p.Node.Get(keyword)
			if node == nil || node.Kind != schema.Number {
				return 0, false
			}
			value, err := json.Number(node.Text).Float64()
			return value, err == nil
		}
		choices := p.Node.Get("enum")
		switch kind := p.Node.GetString("type"); {
		case kind == "string" && !p.Node.Has("oneOf") && (choices == nil || len(choices.Elements) == 0):
			least, hasLeast := number("minLength")
			most, hasMost := number("maxLength")
			switch {
			case hasLeast && least < 0:
				p.Reportf("elicit schema property %q has invalid minLength %d, must be non-negative", name, int(least))
			case hasMost && most < 0:
				p.Reportf("elicit schema property %q has invalid maxLength %d, must be non-negative", name, int(most))
			case hasLeast && hasMost && most < least:
				p.Reportf("elicit schema property %q has maxLength %d less than minLength %d", name, int(most), int(least))
			}
		case kind == "number" || kind == "integer":
			least, hasLeast := number("minimum")
			if most, hasMost := number("maximum"); hasLeast && hasMost && most < least {
				p.Reportf("elicit schema property %q has maximum %g less than minimum %g", name, most, least)
			}
		}
	})

// goFormRule makes a rule of the Go SDK about a property, which check looks at.
func goFormRule(name string, since provider.Date, doc string, check func(p *provider.Pass, name string)) *provider.Rule {
	return &provider.Rule{
		Name: name, Effect: provider.Rejects, Stage: goForm, Since: since, Doc: doc, Source: goFormSource,
		Check: func(p *provider.Pass) {
			if of, _, ok := property(p); ok {
				check(p, of)
			}
		},
	}
}

// renderError makes the answer of a client to a request of a server.
func renderError(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	const invalidParams = -32602
	return provider.AnswerBody(map[string]any{"jsonrpc": "2.0", "id": 1, "error": map[string]any{"code": invalidParams, "message": response.Message}})
}

// formWords matches refusals of forms, and formPlace the properties that they name: by a pointer, by the path of an
// issue of zod or, as the Go SDK does, by name.
var (
	formWords = lazy.Compile(`^(?:MCP error -?\d+: )?(?:Invalid elicitation request: |elicit schema )|"path":\s*\[\s*"requestedSchema"`)
	formPlace = lazy.Compile(`elicit schema property ("(?:[^"\\]|\\.)*")|(?:^|\s)/requestedSchema((?:/[^\s:/]+)*)|path\W{1,8}\[\s*\\*"requestedSchema\\*"\s*,?([^\]]*)\]`)
)

// classifyForm reads the answer of a client. A status of 200 stands for a form that is shown.
func classifyForm(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &body); err != nil || !formWords.MatchString(body.Error.Message) {
		return provider.Response{}, provider.ErrNothingLearnt
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}, nil
}

// locateForm finds the properties that a refusal names.
func locateForm(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	if !formWords.MatchString(refusal.Message) {
		return nil
	}
	var places []provider.Place
	for _, match := range formPlace.FindAllStringSubmatch(refusal.Message, -1) {
		tokens := schema.Pointer(match[2]).Tokens()
		if name := ""; match[1] != "" && json.Unmarshal([]byte(match[1]), &name) == nil {
			tokens = []string{"properties", name}
		}
		if match[3] != "" {
			tokens = pathToken.FindAllString(match[3], -1)
		}
		place := provider.Place{Declaration: provider.Nowhere, Location: fmt.Sprint(tokens), Message: match[0]}
		if len(declarations) == 1 {
			root := declarations[0].Get("requestedSchema")
			place.Declaration, place.At = 0, "/parameters"+follow(root, tokens)
		}
		places = append(places, place)
	}
	return places
}
