package lazy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"toolproof/internal/lazy"
)

func TestCompilesWhenAsked(t *testing.T) {
	t.Parallel()
	broken := lazy.Compile("(")
	defer func() {
		if recover() == nil {
			t.Error("an invalid regular expression does not panic")
		}
	}()
	if !lazy.Compile("^a+$").MatchString("aaa") {
		t.Error("aaa does not match ^a+$")
	}
	broken.MatchString("")
}

// TestReadsALongTextOnce checks that a long text is searched once and other texts are searched
// anew.
func TestReadsALongTextOnce(t *testing.T) {
	t.Parallel()
	const many = 1 << 13
	words, plain := lazy.Compile(`(b)(\w)`), regexp.MustCompile(`(b)(\w)`)
	first := strings.Repeat("a ", many) + "bc"
	once, again := words.FindAllStringSubmatch(first, -1), words.FindAllStringSubmatch(strings.Clone(first), -1)
	if len(once) != 1 || &once[0] != &again[0] {
		t.Errorf("the same text is read twice: %v, %v", once, again)
	}
	for _, text := range []string{first, strings.Repeat("a ", many) + "bd be", strings.Repeat("a ", many), "bx", first} {
		for _, pair := range [][2]any{
			{words.MatchString(text), plain.MatchString(text)},
			{words.FindString(text), plain.FindString(text)},
			{words.FindStringIndex(text), plain.FindStringIndex(text)},
			{words.FindStringSubmatch(text), plain.FindStringSubmatch(text)},
			{words.FindAllStringSubmatch(text, -1), plain.FindAllStringSubmatch(text, -1)},
			{words.FindAllStringSubmatch(text, 1), plain.FindAllStringSubmatch(text, 1)},
			{words.FindAllStringSubmatchIndex(text, -1), plain.FindAllStringSubmatchIndex(text, -1)},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("found %v, not %v", pair[0], pair[1])
			}
		}
	}
}

// TestAllCompile compiles every literal that the project passes to Compile, since an invalid
// one would otherwise panic only on first use.
func TestAllCompile(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir("../..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, isCall := node.(*ast.CallExpr)
			if !isCall {
				return true
			}
			function, isSelector := call.Fun.(*ast.SelectorExpr)
			if !isSelector || function.Sel.Name != "Compile" || len(call.Args) != 1 {
				return true
			}
			if of, isName := function.X.(*ast.Ident); !isName || of.Name != "lazy" {
				return true
			}
			if text, isLiteral := literal(call.Args[0]); isLiteral {
				found++
				if _, err := regexp.Compile(text); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			return true
		})
		return nil
	})
	const least = 70
	if err != nil || found < least {
		t.Errorf("%d regular expressions, %v", found, err)
	}
}

// literal returns the value of a string literal or of a concatenation of literals. Constants,
// which belong to rules, are compiled by the tests of the rules' examples.
func literal(expression ast.Expr) (text string, ok bool) {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(expression.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, isLeft := literal(expression.X)
		right, isRight := literal(expression.Y)
		return left + right, isLeft && isRight
	default:
		return "", false
	}
}
