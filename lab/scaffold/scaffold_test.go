package scaffold_test

import (
	"bytes"
	"encoding/json"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/lab/scaffold"
)

// root is the checkout, from the folder of this test.
const root = "../.."

func checkout() fs.FS { return os.DirFS(root) }

// planned are plans of every kind, by what they add.
func planned(t *testing.T) map[string]*scaffold.Plan {
	t.Helper()
	ruleOf := func(surface string) func() (*scaffold.Plan, error) {
		return func() (*scaffold.Plan, error) {
			dialect, err := harness.DialectNamed(surface)
			if err != nil {
				return nil, err
			}
			return scaffold.ProviderRule(checkout(), dialect, "brand_new")
		}
	}
	plans := map[string]*scaffold.Plan{}
	for name, plan := range map[string]func() (*scaffold.Plan, error){
		"rule of no target": func() (*scaffold.Plan, error) { return scaffold.Rule(checkout(), "brand_new", nil) },
		"rule": func() (*scaffold.Plan, error) {
			return scaffold.Rule(checkout(), "brand_new", []string{"gemini", "openai-strict"})
		},
		"rule of arguments":           ruleOf("xai/chat"),
		"rule of slices.Concat":       ruleOf("openai/chat"),
		"rule of a call that spreads": ruleOf("moonshot/chat"),
		"rule of a list":              ruleOf("bedrock/converse"),
		"rule of a shared list":       ruleOf("openai/responses"),
		"surface of a service":        func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "groq/brand_new") },
		"surface of a provider":       func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "gemini/brandNew") },
		"surface of nobody":           func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "brand-new/chat") },
		"answers of nobody":           func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "brand-new/response_format") },
		"agent":                       func() (*scaffold.Plan, error) { return scaffold.Agent(checkout(), "brand-new") },
		"format":                      func() (*scaffold.Plan, error) { return scaffold.Format(checkout(), "brandnew") },
		"surface of many engines":     func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "ollama/brand_new") },
	} {
		plan, err := plan()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plans[name] = plan
	}
	return plans
}

// TestPlans checks what every plan promises: its Go is formatted, one element was added to each list,
// and each test that it names is there.
func TestPlans(t *testing.T) {
	t.Parallel()
	byHand := map[string]int{"rule of no target": 1, "rule of a shared list": 1, "rule of a call that spreads": 1, "surface of many engines": 1}
	for name, plan := range planned(t) {
		if len(plan.ByHand) != byHand[name] || len(plan.New) == 0 || len(plan.Changed)+len(plan.ByHand) == 0 {
			t.Errorf("%s: %d new files, %d changed, by hand %q", name, len(plan.New), len(plan.Changed), plan.ByHand)
		}
		for file, text := range plan.New {
			if !bytes.Contains(text, []byte(scaffold.FillIn)) && path.Ext(file) == ".go" {
				t.Errorf("%s: %s has no place to fill in", name, file)
			}
			isFormatted(t, file, text)
		}
		for file, text := range plan.Changed {
			isFormatted(t, file, text)
			was, err := fs.ReadFile(checkout(), file)
			if err != nil {
				t.Fatal(err)
			}
			if added := bytes.Count(text, []byte("\n")) - bytes.Count(was, []byte("\n")); added > 1 || len(text)-len(was) > 100 {
				t.Errorf("%s: %d lines and %d bytes were added to %s", name, added, len(text)-len(was), file)
			}
		}
		for _, test := range plan.Tests {
			if !hasTest(t, test) {
				t.Errorf("%s: %s has no %s", name, test.Package, test.Name)
			}
		}
	}
}

func isFormatted(t *testing.T, file string, text []byte) {
	t.Helper()
	if path.Ext(file) != ".go" {
		return
	}
	if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
		t.Errorf("%s is not as gofmt writes it (%v):\n%s", file, err, text)
	}
}

func hasTest(t *testing.T, test scaffold.Test) bool {
	t.Helper()
	files, err := fs.Glob(checkout(), path.Join(test.Package, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := fs.ReadFile(checkout(), file)
		return err == nil && bytes.Contains(text, []byte("\nfunc "+test.Name+"(t *testing.T)"))
	})
}

// TestPlansBuild builds a new thing of each kind as if its files were written, all in one build: no two
// of these plans have a file in common.
func TestPlansBuild(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make whole builds what TestPlans parses")
	}
	folder, plans := t.TempDir(), planned(t)
	replaced, arguments := map[string]string{}, []string{"build", "-overlay", filepath.Join(folder, "overlay.json")}
	for _, name := range []string{"rule", "rule of slices.Concat", "surface of nobody", "surface of a provider", "agent", "format"} {
		for _, files := range []map[string][]byte{plans[name].New, plans[name].Changed} {
			for file, text := range files {
				if path.Ext(file) != ".go" {
					continue
				}
				at, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(file)))
				if err != nil || replaced[at] != "" {
					t.Fatalf("%s is in two plans, or has no path: %v", file, err)
				}
				replaced[at] = filepath.Join(folder, strconv.Itoa(len(replaced))+".go")
				if err := os.WriteFile(replaced[at], text, 0o600); err != nil {
					t.Fatal(err)
				}
				arguments = append(arguments, "./"+path.Dir(file))
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(arguments[2], text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", arguments...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRefusals: a name that is wrong or taken, and a file that is there, end in an error.
func TestRefusals(t *testing.T) {
	t.Parallel()
	chat, err := harness.DialectNamed("openai/chat")
	if err != nil {
		t.Fatal(err)
	}
	llama, err := harness.DialectNamed("llamacpp/chat")
	if err != nil {
		t.Fatal(err)
	}
	rule := func(name string) func() (*scaffold.Plan, error) {
		return func() (*scaffold.Plan, error) { return scaffold.Rule(checkout(), name, nil) }
	}
	ruleOf := func(dialect *provider.Dialect, name string) func() (*scaffold.Plan, error) {
		return func() (*scaffold.Plan, error) { return scaffold.ProviderRule(checkout(), dialect, name) }
	}
	for _, test := range []struct {
		plan func() (*scaffold.Plan, error)
		want string
	}{
		{rule("ConstToEnum"), `"ConstToEnum" is no name of a rule`},
		{rule("../evil"), "is no name of a rule"},
		{rule("const_to_enum"), "normalizers/internal/rules/const_to_enum.go exists already"},
		{rule("max_levels"), "has MaxLevels already"},
		{rule("types"), "normalizers/internal/rules/types.go exists already"},
		{rule("plain_windows"), "would not compile"},
		{rule("rule_test"), "would not compile"},
		{ruleOf(chat, "name_pattern"), "openai/chat has a rule name_pattern already"},
		{ruleOf(chat, "walk"), "exists already"},
		{ruleOf(chat, "schema"), "has schema already"},
		{ruleOf(llama, "brand_new"), "functions make the rules of llamacpp/chat"},
		{func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "openai/chat") }, "the surface openai/chat exists already"},
		{func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "groq") }, "is no name of a surface"},
		{func() (*scaffold.Plan, error) { return scaffold.Surface(checkout(), "azure/brand_new") }, "a function makes it"},
		{func() (*scaffold.Plan, error) { return scaffold.Agent(checkout(), "chat") }, "has chat already"},
		{func() (*scaffold.Plan, error) { return scaffold.Agent(checkout(), "range") }, "a keyword of Go"},
		{func() (*scaffold.Plan, error) { return scaffold.Format(checkout(), "junit") }, "harness/report/junit.go exists already"},
		{func() (*scaffold.Plan, error) { return scaffold.Format(checkout(), "escape") }, "has escape already"},
		{func() (*scaffold.Plan, error) { return scaffold.Format(os.DirFS(t.TempDir()), "tap") }, "has no Go file"},
	} {
		plan, err := test.plan()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("the error is %v and lacks %q; the plan is %v", err, test.want, plan)
		}
	}
}

// TestNothingIsLeftToFillIn names each place that new has marked and nobody has filled in.
func TestNothingIsLeftToFillIn(t *testing.T) {
	t.Parallel()
	mark := regexp.MustCompile(`(?m)^.*?(` + scaffold.FillIn + `:[^}"` + "`" + `\n]*)`)
	read := 0
	for _, folder := range []string{"fixtures", "harness", "normalizers"} {
		err := fs.WalkDir(checkout(), folder, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".json"}, path.Ext(file)) {
				return err
			}
			text, err := fs.ReadFile(checkout(), file)
			read++
			for _, found := range mark.FindAllSubmatchIndex(text, -1) {
				t.Errorf("%s:%d: %s", file, 1+bytes.Count(text[:found[2]], []byte("\n")), text[found[2]:found[3]])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read == 0 {
		t.Error("no file was read")
	}
}
