package lazy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
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
			t.Error("a text that is no regular expression matches")
		}
	}()
	if !lazy.Compile("^a+$").MatchString("aaa") {
		t.Error("aaa does not match ^a+$")
	}
	broken.MatchString("")
}

// TestAllCompile compiles every text that the project gives to Compile: a wrong one
// would show only where it is first asked.
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

// literal returns the text of a literal, or of several that are joined. A constant is of
// a rule, which its example asks.
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
