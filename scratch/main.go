package main

import (
	"bufio"
	"context"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/openai"
	"toolproof/schema"
)

var dialects = map[string]*provider.Dialect{
	"gemini.parameters": google.GeminiParameters, "gemini.live.parameters": google.GeminiParameters, "gemini.tool_name": google.GeminiParameters,
	"openai.chat": openai.Chat, "openai.tools": openai.Chat, "openai.tool_name": openai.Chat, "openai.chat.strict": openai.ChatStrict, "openai.strict": openai.ChatStrict,
	"openai.response_format": openai.ResponseFormat, "openai.chat.response_format.strict": openai.ResponseFormat, "openai.format.strict": openai.ResponseFormat,
	"openai.responses.text_format": openai.TextFormat, "openai.responses.text_format.strict": openai.TextFormat,
}

func lines(name string) (out []map[string]json.RawMessage) {
	f, err := os.Open("../shared/evidence/" + name)
	if err != nil { panic(err) }
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") { r, _ = gzip.NewReader(f) }
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(s.Bytes(), &m); err != nil { panic(err) }
		out = append(out, m)
	}
	return
}
func str(m map[string]json.RawMessage, k string) string { var s string; json.Unmarshal(m[k], &s); return s }

var nameRe = regexp.MustCompile(`for (?:function|response_format) '([^']*)'`)
var indexRe = regexp.MustCompile(`(?:declarations|tools)\[(\d+)\]`)
var indexD = regexp.MustCompile(`declarations\[(\d+)\]`)

func main() {
	for _, file := range []string{"rejections.jsonl", "acceptances.jsonl", "probes.jsonl"} {
		n, okv, okm, tm := 0, 0, 0, 0
		for i, m := range lines(file) {
			path := str(m, "path")
			if path == "" { path = str(m, "surface") }
			d := dialects[path]
			if d == nil || m["provider"] != nil && str(m, "provider") == "azure" { continue }
			msg := str(m, "message")
			want := "rejected"
			if file == "acceptances.jsonl" || str(m, "verdict") == "accepted" { want = "accepted" }
			var decls []*schema.Node
			name := "f"
			if x := nameRe.FindStringSubmatch(msg); x != nil { name = x[1] }
			if m["declarations"] != nil {
				nd, err := schema.Parse(m["declarations"]); if err != nil { panic(err) }
				decls = nd.Elements
			} else if m["declaration"] != nil {
				nd, _ := schema.Parse(m["declaration"]); decls = []*schema.Node{nd}
			} else if m["schema"] != nil && string(m["schema"]) != "null" {
				nd, err := schema.Parse(m["schema"]); if err != nil { panic(err) }
				decls = []*schema.Node{d.Declare(schema.Tool{Name: name, Parameters: nd})}
			} else { continue }
			idx := 0
			if x := indexD.FindStringSubmatch(msg); x != nil { idx, _ = strconv.Atoi(x[1]) } else if x := indexRe.FindStringSubmatch(msg + str(m, "param")); x != nil { idx, _ = strconv.Atoi(x[1]) }
			var pad []*schema.Node
			for k := 0; k < idx; k++ {
				nd, _ := schema.Parse([]byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`))
				if strings.HasPrefix(d.Name, "gemini") { nd.Delete("additionalProperties") }
				pad = append(pad, d.Declare(schema.Tool{Name: "t" + strconv.Itoa(k), Parameters: nd}))
			}
			decls = append(pad, decls...)
			date, err := provider.ParseDate(str(m, "date"))
			if err != nil { date = provider.Today() }
			r, _ := (&provider.Model{Dialect: d, AsOf: date}).Send(context.Background(), d.Request(decls))
			n++
			id := str(m, "id"); if id == "" { id = strconv.Itoa(i) }
			if string(r.Verdict) != want { fmt.Println("VERDICT", id, date, want, r.Verdict, "\n  want:", msg, "\n  got: ", r.Message) } else { okv++ }
			if want == "rejected" && (str(m, "message_completeness") == "complete" || file == "probes.jsonl" && msg != "") {
				tm++
				if strings.TrimSpace(msg) == strings.TrimSpace(r.Message) { okm++ } else { fmt.Println("MESSAGE", id, date, "\n  want:", msg, "\n  got: ", r.Message) }
			}
		}
		fmt.Println(file, n, okv, "messages", okm, tm)
	}
	n, bad := 0, 0
	for _, m := range lines("interactions.jsonl.gz") {
		var req struct { Tools json.RawMessage `json:"tools"`; RF struct{ Type string `json:"type"`; JS json.RawMessage `json:"json_schema"`} `json:"response_format"`
		Text struct { Format json.RawMessage `json:"format"` } `json:"text"` }
		if string(m["status"]) != "200" { continue }
		json.Unmarshal(m["request"], &req)
		date := provider.Today()
		check := func(d *provider.Dialect, decls []*schema.Node) {
			if len(decls) == 0 { return }
			n++
			r, _ := (&provider.Model{Dialect: d, AsOf: date}).Send(context.Background(), d.Request(decls))
			if r.Verdict != provider.Accepted { bad++; fmt.Println("FALSE REFUSAL", str(m, "id"), d.Name, r.Message) }
		}
		switch str(m, "provider") {
		case "gemini":
			if req.Tools == nil { continue }
			nd, err := schema.ParseWire(req.Tools); if err != nil { panic(err) }
			ts := nd.Elements
			if nd.Kind == schema.Object { ts = []*schema.Node{nd} }
			var ds []*schema.Node
			for _, t := range ts { fd := t.Get("functionDeclarations"); if fd == nil { fd = t.Get("function_declarations") }
				if fd != nil { for _, x := range fd.Elements { ds = append(ds, x) } } }
			check(google.GeminiParameters, ds)
		case "openai-chat":
			if req.Tools != nil && string(req.Tools) != "null" {
				nd, err := schema.ParseWire(req.Tools); if err != nil { panic(err) }
				var s, ns []*schema.Node
				for _, t := range nd.Elements { if f := t.Get("function"); f != nil { if f.Get("strict").IsTrue() { s = append(s, f) } else { ns = append(ns, f) } } }
				check(openai.ChatStrict, s); check(openai.Chat, ns)
			}
			if req.RF.Type == "json_schema" { nd, _ := schema.ParseWire(req.RF.JS); if nd.Get("strict").IsTrue() { check(openai.ResponseFormat, []*schema.Node{nd}) } }
		case "openai-responses":
			if req.Text.Format != nil { nd, _ := schema.ParseWire(req.Text.Format); if nd.GetString("type") == "json_schema" && nd.Get("strict").IsTrue() { check(openai.TextFormat, []*schema.Node{nd}) } }
		}
	}
	fmt.Println("interactions", n, "false refusals", bad)
}
