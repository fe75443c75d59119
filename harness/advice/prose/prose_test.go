package prose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolproof/harness/advice/prose"
)

// TestSentences: a text is split into sentences, and these into words, numbers, literals and
// signs.
func TestSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Get it (e.g. x). Then stop.":        "Get it ( e.g . x ) . | Then stop .",
		"The user's name, 'a b' or \"\"":     "The user ' s name , «a b» or «»",
		"1,000 items, 0.5 s, -1, 2024-01-31": "#1000 items , #0.5 s , #-1 , #2024 - #01 - #31",
		"one\ntwo\nThree; four":              "one two | Three ; | four",
		"v1.2 of us-east-1 takes 10MB...":    "v1.2 of us-east-1 takes #10 MB ...",
		"``a``, ``\"b\"``, ``":               "«a» , «b» , ` `",
		"`a`|“b” it's":                       "«a» | «b» it ' s",
		"ＡＢ İ 1–2":                           "Ａ Ｂ İ #1 – #2",
	} {
		var sentences []string
		for _, sentence := range prose.Read(text).Sentences {
			var tokens []string
			for _, token := range sentence {
				shown := token.Text
				switch token.Kind {
				case prose.Literal:
					shown = "«" + shown + "»"
				case prose.Number:
					shown = "#" + shown
				default:
				}
				tokens = append(tokens, shown)
			}
			sentences = append(sentences, strings.Join(tokens, " "))
		}
		if got := strings.Join(sentences, " | "); got != want {
			t.Errorf("%q is read as\n%s, not\n%s", text, got, want)
		}
	}
}

// TestChoice: only a closed list of values is one.
func TestChoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The order, one of 'asc' or 'desc'.":                                 "asc desc",
		"Set to '1' to hide it, or '0' to show it.":                          "1 0",
		"Set to `enabled` or `disabled`.":                                    "enabled disabled",
		"Valid: csv, tsv, or json (default: csv)":                            "csv tsv json",
		"Options are:\n- 'add' - adds it\n- 'remove' - removes it":           "add remove",
		"'json', 'xml' or 'csv'":                                             "json xml csv",
		"'json', 'xml' or what you like":                                     "",
		"How to do it [fast|slow]":                                           "fast slow",
		"How to do it [fast, slow]":                                          "",
		"State (0: all, 1: well-formed, 2: new)":                             "0 1 2",
		"Weight (100, 200, 300)":                                             "100 200 300",
		"Supported values are 'metric' (km) and 'imperial' (miles).":         "metric imperial",
		"'fixed' uses equal delays, 'exponential' longer ones":               "",
		"Git provider: GitHub (gh) or GitLab (gl). Accepted values: gh, gl.": "gh gl",
		"One of 'a', 'b', etc.":                                              "",
		"The tag (e.g. 'a', 'b')":                                            "",
		"Comma-separated: one of 'a', 'b'":                                   "a b",
		"One of 'a', 'b' or a custom name":                                   "",
		"A pointer such as '/a/b' or '/c'":                                   "",
		"One of '/a/b' or '/c'":                                              "",
		"If 'a' or 'b', returns all":                                         "",
		"Level: 0 = off, 1 = on, 2+ = more":                                  "",
		"Opacity: 0 = clear, 100 = full":                                     "",
		`action:"add" / "remove" sets it`:                                    "",
		"Type: 'a', 'b' for X; 'c' for Y":                                    "",
		"(optional, integer)":                                                "",
		"Data (base64 of a file)":                                            "",
	} {
		got := ""
		if choice := prose.Read(text).Choice(false); choice != nil {
			got = strings.Join(choice.Values, " ")
		}
		if got != want {
			t.Errorf("%q lists %q, not %q", text, got, want)
		}
	}
	const bare = "Format (csv or json)"
	if choice := prose.Read(bare).Choice(true); choice == nil || !slices.Equal(choice.Values, []string{"csv", "json"}) || choice.IsQuoted || choice.IsIntroduced {
		t.Errorf("%q lists %v for a name that is a choice", bare, choice)
	}
	if choice := prose.Read(bare).Choice(false); choice != nil {
		t.Errorf("%q lists %v for any name", bare, choice)
	}
}

// TestNumbers: what a text says with numbers.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"How many (1-100, default 10)":         "≥1 ≤100 =10",
		"at most 3 words":                      "≤3 words",
		"Maximum number of items: 50":          "≤50",
		"Maximum: `100`, or `all`":             "≤100",
		"between 0 and 1":                      "≥0 ≤1",
		"a rate (0.5 to 2x), not exceed 1,000": "≥0.5 x ≤2 x ≤1000",
		"a day (2024-01-31)":                   "",
		"if count >= 16 it fails":              "",
		"Default is 'asc'.":                    "=asc",
		"`all` (default), or some":             "=all",
		"Default 1 = must be unique":           "",
		"Defaults to false.":                   "=false",
		"the default branch":                   "",
		"数量（默认 50，最大 100）":                     "≤100 =50", //nolint:gosmopolitan // a text in another script
		"默认为 false。":                           "=false",   //nolint:gosmopolitan // a text in another script
		"60 seconds if not given":              "=60",
		"it fails if not given":                "",
		"Defaults to /var/lib.":                "=/var/lib",
		"(default: / of the disk)":             "",
	} {
		read := prose.Read(text)
		var said []string
		for _, bound := range read.Bounds() {
			sign := "≥"
			if bound.IsUpper {
				sign = "≤"
			}
			said = append(said, strings.TrimSpace(sign+bound.Number+" "+bound.Unit))
		}
		if value := read.Default(); value != "" {
			said = append(said, "="+value)
		}
		if got := strings.Join(said, " "); got != want {
			t.Errorf("%q says %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"RAW (default): as it is": "RAW", "RAW by default": "RAW", "Default is HTML.": "HTML", "raw (default)": "", "Default is HTML for some": "", "RAW (the default of all)": "",
	} {
		if got := prose.Read(text).DefaultAmong([]string{"RAW", "HTML"}); got != want {
			t.Errorf("the default among values in %q is %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"in seconds": true, "timeout_ms": true, "50%": true, "how long": false} {
		if got := prose.Read(text).HasUnit(); got != want {
			t.Errorf("%q has a unit: %v", text, got)
		}
	}
}

// TestSpecial: a value with a meaning of its own is no list of values and no range.
func TestSpecial(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Use -1 for the whole file.":                       "-1: the whole file",
		"How many, 0 means unlimited":                      "0: unlimited",
		"Set to 0 to unassign it.":                         "0: unassign it",
		`Call it with match_text="NEW_FILE" to create one`: `"NEW_FILE": create one`,
		"\"<ALL>\": every one of them":                     `"<ALL>": every one of them`,
		"pass \"\" to clear it":                            `"": clear it`,
		"The rows. <ALL>: every row.":                      "<ALL>: every row",
		`The text. p="X" to remove it.`:                    `"X": remove it`,
		`The text. q="X" to remove it.`:                    "",
		"Use 'now' to see what is open.":                   "'now': see what is open",
		"Use 'a' to sort up. Use 'b' or 'c' to sort down.": "'a': sort up",
		"Use 'b' for one or 'c' for another.":              "",
		"Leave empty for all of them.":                     `"": all of them`,
		"A name (empty to clear)":                          `"": clear`,
		"May not be empty.":                                "",
		"If set to 0, the default is taken.":               "0: the default is taken",
		"from 0 to 1":                                      "",
		"0.0 to 1.0":                                       "",
		"version 1.0 = linear":                             "",
	} {
		got := ""
		if special := prose.Read(text).Special("p"); special != nil {
			got = special.Value + ": " + special.Meaning
		}
		if got != want {
			t.Errorf("%q gives %q, not %q", text, got, want)
		}
	}
}

// TestRelation: a text links a parameter to another one that it names.
func TestRelation(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mutually exclusive with user_id.":                                "1 user_id",
		"Required when type is 'user'.":                                   "0 type",
		"Ignored if `group` is set.":                                      "2 group",
		"Either this or group, not both.":                                 "1 group",
		"Required for list, group":                                        "0 group",
		"Required for list, group of users":                               "",
		"The name (for type=user)":                                        "0 type",
		"The name, by type=user":                                          "",
		"Search text (listSearch only)":                                   "0 listSearch",
		"The type of the group, only for the curious":                     "",
		"Required for all except user_id":                                 "0 ",
		"Used with user_id.":                                              "0 user_id",
		"When `group` is true, nests them":                                "0 group",
		"If `group` matches several, nests them":                          "",
		"If set, user_id is also required":                                "0 user_id",
		"Alias of user_id":                                                "1 user_id",
		"Defaults to user_id, which is required":                          "",
		"Ignores user_id":                                                 "2 user_id",
		"The type must be 'user'":                                         "0 type",
		"The type of group must be known":                                 "",
		"Ignored if group provided":                                       "2 group",
		"Required for: user, group":                                       "0 group",
		"(only valid for group operation)":                                "0 group",
		"One of { user_id }, never both; exactly one of `{ listSearch }`": "1 listSearch",
		"See user_id. Required if you want it.":                           "",
		"Ignored unless `group` is set.":                                  "0 group",
		"Used instead of group.":                                          "1 group",
		"Either type or name must be given.":                              "1 type",
		"Provide user_id or a name.":                                      "1 user_id",
		"'a' for Group; 'b' for others":                                   "0 group",
		"Order, for listSearch.":                                          "0 listSearch",
	} {
		got := ""
		if relation := prose.Read(text).Relation([]string{"user_id", "type", "group", "listSearch"}); relation != nil {
			got = fmt.Sprint(relation.Link, " ", relation.Other)
		}
		if got != want {
			t.Errorf("%q states %q, not %q", text, got, want)
		}
	}
}

// TestBegins: a text begins with a phrase, which may be several words.
func TestBegins(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"Number of cats.": true, "The number of cats.": false, "Number": false, "": false} {
		if got := prose.Read(text).Begins(prose.Phrases("number of")...); got != want {
			t.Errorf("%q begins so: %t", text, got)
		}
	}
}

// TestOnly: a text allows one value.
func TestOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Must be 'YES' to go on.":        "YES",
		"Must be ``on``.":                "on",
		"Must be ``\"on\"``.":            "on",
		"Must be 'a' or 'b'.":            "",
		"Must be 'a' when sure is true.": "",
		"Must be true.":                  "true",
		"Must be short.":                 "",
	} {
		if got := prose.Read(text).Only(); got != want {
			t.Errorf("%q allows %q, not %q", text, got, want)
		}
	}
}

// TestMentions: names are told from English words.
func TestMentions(t *testing.T) {
	t.Parallel()
	text := prose.Read("Set the `mode` and user_id.\n- name: who it is\nThe parameter 'size' of GET /users.")
	for name, want := range map[string]bool{"mode": true, "user_id": true, "the": false, "name": false} {
		if text.Mentions(name) != want {
			t.Errorf("%s is mentioned: %v", name, !want)
		}
	}
	if !text.Defines("name") || text.Defines("who") {
		t.Error("the line of name defines something else")
	}
	if got := text.Route(); got != "GET /users" {
		t.Errorf("the route is %q", got)
	}
	if last := text.Sentences[len(text.Sentences)-1]; last.Parameter() != "size" {
		t.Errorf("the parameter is %q", last.Parameter())
	}
}

// TestAlternatives: a sentence names the parameters of which one is to be given.
func TestAlternatives(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Find it. Provide either user_id or `email`, never more.":   "user_id email",
		"At least one of user_id, email_address and name_or_alias.": "user_id email_address name_or_alias",
		"Reads one by ID, e-mail or name-or-alias.":                 "id email name_or_alias",
		"Reads one by order ID or email.":                           "id email",
		"Reads all, filtered by ID or email.":                       "",
		"Not required: either user_id or email_address.":            "",
		"Takes user_id and email_address.":                          "",
		"Requires either id or email parameter.":                    "id email",
	} {
		some, _ := prose.Read(text).Alternatives([]string{"user_id", "id", "email", "email_address", "name_or_alias"})
		if got := strings.Join(some, " "); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

// TestAmong: a list in a text is compared with values.
func TestAmong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]prose.Listing{
		"How (red, green, blue).":              {Left: []string{"black"}, IsClosed: true},
		"How (Red, Green, Blue).":              {Left: []string{"black"}},
		"How (red, green, blue) or \"black\".": {IsClosed: true},
		"How (e.g. red, green, blue).":         {},
		"How: red, green, blue, etc.":          {},
		"'red', 'blue' or 'pink'":              {Others: []string{"pink"}},
		"'red', 'pink' or 'gray'":              {},
		"How, as red or blue.":                 {},
	} {
		if diff := cmp.Diff(want, prose.Read(text).Among([]string{"red", "green", "blue", "black"}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestReader: a reader that is used again reads as a new one.
func TestReader(t *testing.T) {
	t.Parallel()
	var reader prose.Reader
	for _, text := range []string{"One sentence. Two, 'quoted'.", "", "Another one; with 3 numbers.\nAnd lines."} {
		first, second := reader.Read(text), reader.Read(text)
		for _, got := range []*prose.Text{first, second} {
			if diff := cmp.Diff(prose.Read(text).Sentences, got.Sentences, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%q: %s", text, diff)
			}
		}
		reader.Reset()
	}
}
