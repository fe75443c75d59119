package site

import (
	"context"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
)

// change is the begin or end of a rule as the pages show it.
type change struct {
	*evidence.Event

	Rules []*ruleView // one for each surface
}

// ID returns a UUID that is always the same for the same change.
func (c change) ID() string {
	return uuidOf(fmt.Sprintf("%s %t %s %s", c.Day, c.Ends, c.Rule.Name, c.Rule.Doc))
}

// uuidOf returns a UUID of version 8 that is always the same for the same text.
func uuidOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// What returns "begins" or "ends".
func (c change) What() string {
	if c.Ends {
		return "ends"
	}
	return "begins"
}

// year holds the changes of one year, the newest first.
type year struct {
	Name    string
	Changes []change
}

// timeline makes the page of all changes by day, and the feed.
func timeline(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil {
		return nil, err
	}
	events := evidence.Timeline(harness.Dialects)
	slices.Reverse(events)
	var years []year
	var changes []change
	for _, event := range events {
		shown := change{Event: event}
		for _, dialect := range harness.Dialects {
			for _, rule := range dialect.Rules {
				day := rule.Since
				if event.Ends {
					day = rule.Until
				}
				if rule.Name != event.Rule.Name || rule.Doc != event.Rule.Doc || day != event.Day {
					continue
				}
				view, err := k.rule(ctx, dialect, rule)
				if err != nil {
					return nil, err
				}
				shown.Rules = append(shown.Rules, view)
			}
		}
		changes = append(changes, shown)
		if name := string(event.Day[:4]); len(years) == 0 || years[len(years)-1].Name != name {
			years = append(years, year{Name: name})
		}
		last := &years[len(years)-1]
		last.Changes = append(last.Changes, shown)
	}
	if data.files["timeline.atom"], err = feedOf(changes); err != nil {
		return nil, err
	}
	return []Page{{
		Path: "timeline.html", Section: "Surfaces", Title: "What changed, and when", Template: "timeline",
		Summary: "The days on which LLM providers began or ceased to refuse or ignore something in tools, with the evidence.",
		Data:    years,
	}}, nil
}

// feed is an Atom feed. Its links are relative to the place where it is published.
type feed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []feedLink  `xml:"link"`
	Entries []feedEntry `xml:"entry"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type feedEntry struct {
	Title   string   `xml:"title"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Link    feedLink `xml:"link"`
	Summary string   `xml:"summary"`
}

// feedOf returns the timeline as a feed.
func feedOf(changes []change) ([]byte, error) {
	const feedID = "urn:uuid:7b0c0a52-5a0e-8a6c-9c57-746f6f6c7072"
	written := feed{
		Title: "Toolproof: changes of the surfaces", ID: feedID, Author: "Toolproof",
		Links: []feedLink{{"self", "timeline.atom"}, {"alternate", "timeline.html"}},
	}
	for _, change := range changes {
		updated := instant(change.Day)
		written.Updated = max(written.Updated, updated)
		written.Entries = append(written.Entries, feedEntry{
			Title: fmt.Sprintf("%s: %s %s", strings.Join(change.Dialects, ", "), change.Rule.Name, change.What()),
			ID:    "urn:uuid:" + change.ID(), Updated: updated,
			Link:    feedLink{"alternate", "timeline.html#" + change.ID()},
			Summary: fmt.Sprintf("%s: %s", change.Rule.Effect, change.Rule.Title()),
		})
	}
	return written.text()
}

// text returns the feed as XML.
func (f feed) text() ([]byte, error) {
	text, err := xml.MarshalIndent(f, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the feed: %w", err)
	}
	return append([]byte(xml.Header), text...), nil
}

func instant(day provider.Date) string { return string(day) + "T00:00:00Z" }
