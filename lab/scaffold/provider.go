package scaffold

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/provider"
)

// providers is the folder with a package for each family of surfaces.
const providers = "harness/provider"

// ProviderRule returns the plan for a rule of a surface, which refuses a part of a request.
func ProviderRule(checkout fs.FS, dialect *provider.Dialect, name string) (*Plan, error) {
	if !isSnake.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a rule: use lower-case words with _ between them, such as root_type", name)
	}
	if dialect.Rule(name) != nil {
		return nil, fmt.Errorf("%s has a rule %s already", dialect.Name, name)
	}
	row, err := rowOf(checkout, dialect.Name)
	if err != nil {
		return nil, err
	}
	d := draft{
		checkout: checkout, Name: name, Variable: camel(name), Surface: dialect.Name, Package: row.source.parsed.Name.Name,
		file: path.Join(row.folder(), name+".go"),
	}
	if d.Stages, err = stagesOf(checkout, row.folder(), dialect); err != nil {
		return nil, err
	}
	d.write("provider_rule.go.tmpl")
	if rules := row.rules(); rules != nil {
		d.addRule(row.source, rules)
	} else {
		d.byHand(d.Variable, fmt.Sprintf("the rules of %s, whose row is %s in %s", dialect.Name, row.variable, row.source.file))
	}
	return d.plan(
		Test{"TestRulesHoldTheirEvidence", "./harness", "Check first, then a recording of a refusal, which verify-lab add writes, and one of a near miss, which CONTRIBUTING.md shows how to write"},
		Test{"TestEveryProviderRuleIsNeeded", "./harness", "a recording that contradicts the model without the rule, or, where a Source stands for it, a fixture that breaks"},
		marks,
	)
}

// Surface returns the plan for a surface, such as groq/responses. One of a service that is known
// begins as a copy of the row of the service's first surface, without its rules.
func Surface(checkout fs.FS, name string) (*Plan, error) {
	if !isSurface.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a surface: use the service and the field of its requests, such as groq/response_format", name)
	}
	if slices.ContainsFunc(harness.Dialects, func(other *provider.Dialect) bool { return other.Name == name }) {
		return nil, fmt.Errorf("the surface %s exists already", name)
	}
	service, field, _ := strings.Cut(name, "/")
	d := draft{checkout: checkout, Name: name, Variable: camel(name), Surface: service, Package: "compatible"}
	folder, file := path.Join(providers, d.Package), service
	if known := provider.OfService(harness.Dialects, service); len(known) > 0 {
		row, err := rowOf(checkout, known[0].Name)
		if err != nil {
			return nil, err
		}
		d.Relative, d.Package = row.variable, row.source.parsed.Name.Name
		folder, file = row.folder(), service+"_"+field
	}
	d.file = path.Join(folder, strings.ToLower(strings.ReplaceAll(file, "-", "_"))+".go")
	d.write("surface.go.tmpl")
	d.register(folder, "Dialects", d.Variable, "")
	return d.plan(
		Test{"TestRowsAreComplete", "./harness", "the fields of the row that are missing"},
		Test{"TestPortableReachesEverySurface", "./harness", "Portable in the row of a surface that takes open functions, or a name in notPortable"},
		Test{"TestRelativesMakeWhatIsTaken", "./harness", "a Relative whose normalizer makes what the rules take"},
		marks,
	)
}

// row is the place where a surface is declared.
type row struct {
	source   source
	variable string
	value    ast.Expr
	surface  string
}

func (r row) folder() string { return path.Dir(r.source.file) }

// rowOf finds the variable in whose value a surface has its name.
func rowOf(checkout fs.FS, surface string) (row, error) {
	folders, err := fs.Glob(checkout, path.Join(providers, "*"))
	if err != nil {
		return row{}, fmt.Errorf("reading %s: %w", providers, err)
	}
	found := row{surface: surface}
	for _, folder := range folders {
		sources, err := sourcesOf(checkout, folder)
		if err != nil {
			continue // a file, or a folder of folders
		}
		for _, source := range sources {
			source.variables(func(name string, value ast.Expr) {
				ast.Inspect(value, func(node ast.Node) bool {
					if text(node) == surface {
						found.source, found.variable, found.value = source, name, value
					}
					return found.value == nil
				})
			})
		}
	}
	if found.value == nil {
		return row{}, fmt.Errorf("no row below %s has the name %s: a function makes it; write by hand what is new", providers, surface)
	}
	return found, nil
}

// rules returns the list of the surface's rules: the field of the row, or the call that makes the
// row of rules, which are its last arguments. It returns nil if neither is there.
func (r row) rules() ast.Expr {
	var rules ast.Expr
	ast.Inspect(r.value, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CompositeLit:
			if text(fieldOf(node, "Name")) == r.surface {
				rules = fieldOf(node, "Rules")
			}
		case *ast.CallExpr:
			if constructor, ok := node.Fun.(*ast.Ident); ok && (constructor.Name == "chat" || constructor.Name == "format") && text(node.Args[0]) == r.surface && !node.Ellipsis.IsValid() {
				rules = node
			}
		}
		return rules == nil
	})
	if _, isName := rules.(*ast.Ident); isName {
		return nil // other surfaces may share it
	}
	return rules
}

// addRule adds the rule to a list of rules.
func (d *draft) addRule(source source, rules ast.Expr) {
	if d.err == nil {
		d.made.Changed[source.file], d.err = source.with(rules, d.Variable, "[]*provider.Rule")
	}
}

// stagesOf returns the names of the stages in which the rules of a surface refuse, in their order.
func stagesOf(checkout fs.FS, folder string, dialect *provider.Dialect) ([]string, error) {
	sources, err := sourcesOf(checkout, folder)
	if err != nil {
		return nil, err
	}
	stages := map[string]string{} // of rules
	for _, source := range sources {
		source.variables(func(_ string, value ast.Expr) {
			if stage, ok := fieldOf(value, "Stage").(*ast.Ident); ok {
				stages[text(fieldOf(value, "Name"))] = stage.Name
			}
		})
	}
	var names []string
	for _, rule := range dialect.Rules {
		if stage := stages[rule.Name]; stage != "" && rule.Effect == provider.Rejects && !slices.Contains(names, stage) {
			names = append(names, stage)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("functions make the rules of %s: write the rule by hand, beside them in %s", dialect.Name, folder)
	}
	return names, nil
}
