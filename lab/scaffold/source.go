package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// errNoList means that a list is no literal that an element can be added to. The error that wraps
// it says where the list is.
var errNoList = errors.New("no literal")

// source is a Go file of a checkout.
type source struct {
	file   string
	text   []byte
	parsed *ast.File
	at     *token.FileSet
}

// sourcesOf reads the Go files of a folder, except for tests.
func sourcesOf(checkout fs.FS, folder string) ([]source, error) {
	files, err := fs.Glob(checkout, path.Join(folder, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", folder, err)
	}
	var sources []source
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(checkout, file)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		read, err := parse(file, text)
		if err != nil {
			return nil, err
		}
		sources = append(sources, read)
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("the checkout has no Go file in %s", folder)
	}
	return sources, nil
}

func parse(file string, text []byte) (source, error) {
	at := token.NewFileSet()
	parsed, err := parser.ParseFile(at, file, text, parser.SkipObjectResolution)
	if err != nil {
		return source{}, fmt.Errorf("reading Go: %w", err)
	}
	return source{file, text, parsed, at}, nil
}

// variables calls visit for each variable of the package that has a value of its own.
func (s source) variables(visit func(name string, value ast.Expr)) {
	for _, declared := range s.parsed.Decls {
		general, ok := declared.(*ast.GenDecl)
		if !ok || general.Tok != token.VAR {
			continue
		}
		for _, spec := range general.Specs {
			if values, ok := spec.(*ast.ValueSpec); ok && len(values.Values) == len(values.Names) {
				for i, name := range values.Names {
					visit(name.Name, values.Values[i])
				}
			}
		}
	}
}

// unusedIn returns an error if a package has the name at its top level, imports included.
func unusedIn(checkout fs.FS, folder, name string) error {
	sources, err := sourcesOf(checkout, folder)
	if err != nil {
		return err
	}
	for _, source := range sources {
		taken := false
		for _, declared := range source.parsed.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				taken = taken || declared.Recv == nil && declared.Name.Name == name
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						taken = taken || spec.Name.Name == name
					case *ast.ValueSpec:
						for _, other := range spec.Names {
							taken = taken || other.Name == name
						}
					case *ast.ImportSpec:
						imported, _ := strconv.Unquote(spec.Path.Value) // a file that parses has no other
						taken = taken || path.Base(imported) == name
					}
				}
			}
		}
		if taken {
			return fmt.Errorf("%s has %s already: use another name", source.file, name)
		}
	}
	return nil
}

// appended returns a file in which a list has one more element, as gofmt writes it. The list is the
// value of a variable, in any case of letters, or a field of that value. A file that was changed
// before is taken from changed.
func appended(checkout fs.FS, changed map[string][]byte, folder, variable, element, field string) (string, []byte, error) {
	sources, err := sourcesOf(checkout, folder)
	if err != nil {
		return "", nil, err
	}
	for _, source := range sources {
		if text, ok := changed[source.file]; ok {
			if source, err = parse(source.file, text); err != nil {
				return "", nil, err
			}
		}
		var list ast.Expr
		source.variables(func(name string, value ast.Expr) {
			if strings.EqualFold(name, variable) {
				list = value
			}
		})
		if list != nil && field != "" {
			list = fieldOf(list, field)
		}
		if list != nil {
			text, err := source.with(list, element, "")
			return source.file, text, err
		}
	}
	return "", nil, fmt.Errorf("%w: %s in %s", errNoList, variable, folder)
}

// fieldOf returns the value of a field in the composite literal of an expression, or nil.
func fieldOf(value ast.Expr, field string) ast.Expr {
	if pointer, ok := value.(*ast.UnaryExpr); ok {
		value = pointer.X
	}
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == field {
				return pair.Value
			}
		}
	}
	return nil
}

// with returns the text of the file with one more element at the end of a list: a literal, the last
// literal of slices.Concat, or the arguments of any other call. If slices.Concat does not end in a
// literal, the element gets one of the given type; without a type the list cannot be added to.
func (s source) with(list ast.Expr, element, ofType string) ([]byte, error) {
	noList := fmt.Errorf("%w: the list at %s:%d", errNoList, s.file, s.at.Position(list.Pos()).Line)
	var elements []ast.Expr
	var end token.Pos
	switch list := list.(type) {
	case *ast.CompositeLit:
		elements, end = list.Elts, list.Rbrace
	case *ast.CallExpr:
		elements, end = list.Args, list.Rparen
		if !isConcat(list) {
			break
		}
		if literal, ok := elements[len(elements)-1].(*ast.CompositeLit); ok {
			return s.with(literal, element, ofType)
		}
		if ofType == "" {
			return nil, noList
		}
		element = ofType + "{" + element + "}"
	default:
		return nil, noList
	}
	offset := s.at.Position(end).Offset
	switch {
	case len(elements) == 0:
	case s.at.Position(end).Line > s.at.Position(elements[len(elements)-1].End()).Line:
		element += ",\n"
	default:
		element = ", " + element
	}
	text := string(s.text[:offset]) + element + string(s.text[offset:])
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("adding %s to %s: %w", element, s.file, err)
	}
	return formatted, nil
}

func isConcat(call *ast.CallExpr) bool {
	called, ok := call.Fun.(*ast.SelectorExpr)
	return ok && called.Sel.Name == "Concat" && len(call.Args) > 0
}

// text returns the value of a string literal, or "".
func text(value ast.Node) string {
	if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		unquoted, _ := strconv.Unquote(literal.Value) // a file that parses has no other
		return unquoted
	}
	return ""
}
