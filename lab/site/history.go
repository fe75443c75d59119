package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"toolproof/harness/history"
	"toolproof/harness/provider"
)

// pastSubject is a program as the pages of the history show it.
type pastSubject struct {
	history.Subject

	// Path is the path of the page without .html.
	Path string
	// Changes is the number of changes in all Steps.
	Changes int
	// News holds the versions, the newest first.
	News   []pastVersion
	Places []pastPlace
}

// pastVersion is a version with what it changed.
type pastVersion struct {
	history.Version

	Steps      []history.Step
	Unmeasured []history.Record
	// First are the places where no version before was measured.
	First []string
}

// pastPlace holds what holds at a place as of the newest version that was measured there.
type pastPlace struct {
	Name, Version string
	Facts         []pastFact
}

type pastFact struct {
	Name string
	// Span is the newest one, and Before the last version that differs; "" if none that was measured does.
	Span   history.Span
	Before string
}

// pastKind holds the programs of one kind.
type pastKind struct {
	Name     string
	Subjects []pastSubject
}

// kinds has the headings of the kinds.
var kinds = map[string]string{
	"sdk": "SDKs", "normalizer": "Normalizers", "engine": "Engines", "server": "MCP servers", "agent": "Agents",
	"gateway": "Gateways", "mcp-client": "MCP clients", "model": "Models",
}

// historyPages makes a page for each program of which versions were measured, with its feeds, and a list of them.
func historyPages(_ context.Context, data *Data) ([]Page, error) {
	folder, err := fs.Sub(data.Docs, "history")
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	records, err := history.Read(folder)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	var byKind []pastKind
	var pages []Page
	for _, subject := range history.Subjects(records) {
		shown := pastOf(subject)
		if len(byKind) == 0 || byKind[len(byKind)-1].Name != kinds[subject.Kind] {
			byKind = append(byKind, pastKind{Name: kinds[subject.Kind]})
		}
		last := &byKind[len(byKind)-1]
		last.Subjects = append(last.Subjects, shown)
		if err := shown.feeds(data.files); err != nil {
			return nil, err
		}
		pages = append(pages, Page{
			Path: shown.Path + ".html", Section: "History", Title: subject.Name + ": history", Template: "past", Feed: shown.Path,
			Summary: fmt.Sprintf("What %s does to tools, version by version: what changed, and since when something holds.", subject.Name),
			Data:    shown,
		})
	}
	return append([]Page{{
		Path: "history.html", Section: "History", Title: "History", Template: "history",
		Summary: "What SDKs, normalizers, engines and MCP servers changed from version to version, and since when something holds.",
		Data:    byKind,
	}}, pages...), nil
}

func pastOf(subject history.Subject) pastSubject {
	shown := pastSubject{Subject: subject, Path: "history/" + subject.Kind + "/" + strings.Trim(anchor(subject.Name), "-")}
	steps := subject.Steps()
	for _, step := range steps {
		shown.Changes += len(step.Changes)
	}
	for _, version := range slices.Backward(subject.Versions) {
		news := pastVersion{Version: version}
		for _, step := range steps {
			if step.To.Name == version.Name {
				news.Steps = append(news.Steps, step)
			}
		}
		for _, record := range version.Places {
			switch {
			case record.Unmeasured != "":
				news.Unmeasured = append(news.Unmeasured, record)
			case subject.First(record.Place).Name == version.Name:
				news.First = append(news.First, record.Place)
			}
		}
		shown.News = append(shown.News, news)
	}
	for _, place := range subject.Places() {
		names, version := subject.Facts(place)
		holds := pastPlace{Name: place, Version: version.Name}
		for _, name := range names {
			spans := subject.Spans(place, name)
			fact := pastFact{Name: name, Span: spans[len(spans)-1]}
			if len(spans) > 1 {
				fact.Before = spans[len(spans)-2].Last.Name
			}
			holds.Facts = append(holds.Facts, fact)
		}
		shown.Places = append(shown.Places, holds)
	}
	return shown
}

// Count returns the number of changes of a version.
func (v pastVersion) Count() int {
	count := 0
	for _, step := range v.Steps {
		count += len(step.Changes)
	}
	return count
}

// unchanged are places where nothing changed since a version.
type unchanged struct {
	From   string
	Places []string
}

// Unchanged returns the places where the version changed nothing, by the version before.
func (v pastVersion) Unchanged() []unchanged {
	var all []unchanged
	for _, step := range v.Steps {
		if len(step.Changes) > 0 {
			continue
		}
		at := slices.IndexFunc(all, func(one unchanged) bool { return one.From == step.From.Name })
		if at < 0 {
			at, all = len(all), append(all, unchanged{From: step.From.Name})
		}
		all[at].Places = append(all[at].Places, step.Place)
	}
	return all
}

// Measured returns the day of the newest measurement.
func (v pastVersion) Measured() provider.Date {
	var day provider.Date
	for _, record := range v.Places {
		day = max(day, record.Date)
	}
	return day
}

// Environment returns what the version was measured on and with.
func (v pastVersion) Environment() string { return v.Places[0].Environment }

// Anchor returns the anchor of the version.
func (v pastVersion) Anchor() string { return "v" + anchor(v.Name) }

// title says in a line what the version changed.
func (v pastVersion) title(subject string) string {
	switch count := v.Count(); {
	case len(v.Steps) == 0:
		return fmt.Sprintf("%s %s: measured for the first time, or not measured", subject, v.Name)
	case count == 1:
		return fmt.Sprintf("%s %s: one change since %s", subject, v.Name, v.Steps[0].From.Name)
	default:
		return fmt.Sprintf("%s %s: %d changes since %s", subject, v.Name, count, v.Steps[0].From.Name)
	}
}

// text lists the changes of a version.
func (v pastVersion) text() string {
	const most = 50
	var lines []string
	for _, step := range v.Steps {
		for _, change := range step.Changes {
			place := ""
			if step.Place != "" {
				place = " on " + step.Place
			}
			lines = append(lines, fmt.Sprintf("%s%s: %s -> %s", change.What, place, orNothing(change.Before), orNothing(change.After)))
		}
	}
	for _, record := range v.Unmeasured {
		lines = append(lines, "not measured: "+record.Unmeasured)
	}
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %d more", len(lines)-most))
	}
	return strings.Join(lines, "\n")
}

func orNothing(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}

// jsonFeed is a feed as JSON Feed 1.1 has it.
type jsonFeed struct {
	Version string         `json:"version"`
	Title   string         `json:"title"`
	Items   []jsonFeedItem `json:"items"`
}

type jsonFeedItem struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Text      string `json:"content_text"`
	Published string `json:"date_published"`
}

// feeds adds the feeds of a program, with an entry for each version, to the files.
func (s pastSubject) feeds(files map[string][]byte) error {
	page := s.Path[strings.LastIndexByte(s.Path, '/')+1:] + ".html"
	title := "Toolproof: history of " + s.Name
	atom := feed{
		Title: title, ID: "urn:uuid:" + uuidOf(s.Path), Author: "Toolproof",
		Links: []feedLink{{"self", strings.TrimSuffix(page, ".html") + ".atom"}, {"alternate", page}},
	}
	plain := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: title}
	for _, version := range s.News {
		id, updated := "urn:uuid:"+uuidOf(s.Path+" "+version.Name), instant(version.Measured())
		atom.Updated = max(atom.Updated, updated)
		atom.Entries = append(atom.Entries, feedEntry{
			Title: version.title(s.Name), ID: id, Updated: updated, Link: feedLink{"alternate", page + "#" + version.Anchor()}, Summary: version.text(),
		})
		plain.Items = append(plain.Items, jsonFeedItem{id, version.title(s.Name), version.text(), updated})
	}
	var problem error
	files[s.Path+".atom"], problem = atom.text()
	text, err := json.MarshalIndent(plain, "", " ")
	files[s.Path+".json"] = text
	return errors.Join(problem, err)
}
