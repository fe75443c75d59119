package judge

import (
	"context"

	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Together is what a provider says to a request of several tools beyond what it says to each of
// them alone.
type Together struct {
	Tools           int // those that could be read
	Raw, Normalized Request
	// Shared is what normalized tools become because of the others, by the index of the tool.
	Shared map[int]Shared
	// Surface is the dialect on which Normalized was judged.
	Surface *provider.Dialect

	// list is the name of the surface if it takes the tools of a list all together or not at all;
	// empty if the client can repeat the request without a refused tool.
	list string
}

// Request is what a provider says to a request of several tools.
type Request struct {
	// Findings are the findings by the index of the tool that they are about.
	Findings map[int][]verdict.Finding
	// Whole are the findings about the request as a whole: what its tools exceed together is the
	// fault of none of them.
	Whole    []verdict.Finding
	Evidence provider.Grade
}

// Shared is what a normalized tool becomes because of the others in its request.
type Shared struct {
	// Name is the new name of a tool whose own name another tool has; empty if the tool keeps its
	// name.
	Name string
	// Fallback says why the request cannot declare the tool as strict; empty if it can.
	Fallback string
}

// Shared returns what the tools of one request become because of each other, by the index of the
// tool.
func (j Judge) Shared(ctx context.Context, tools []toolfile.Tool, target Target) map[int]Shared {
	if len(tools) < 2 {
		return nil
	}
	_, shared := j.normalizeAll(ctx, tools, target)
	return shared
}

// normalizeAll normalizes the tools of one request. It keeps the strict ones within the limits of a
// request, and gives new names to those whose normalized names collide. It leaves out tools that
// cannot be normalized: these are reported when each tool is judged alone.
func (j Judge) normalizeAll(ctx context.Context, tools []toolfile.Tool, target Target) (all []numbered, shared map[int]Shared) {
	if target.Normalizer == nil {
		return nil, nil
	}
	pipeline, isOwn := target.Normalizer.(*normalizers.Pipeline)
	var results []normalizers.Result
	for i, tool := range tools {
		if tool.Err != nil || ctx.Err() != nil {
			continue
		}
		result, err := j.normalize(ctx, target.Normalizer, tool.Tool)
		if err != nil || target.cannotSay(result) {
			continue
		}
		all, results = append(all, numbered{i, result}), append(results, result)
	}
	if !isOwn {
		return all, nil // a foreign normalizer's names are judged as it wrote them
	}
	fitting, err := pipeline.Fit(ctx, results)
	if err != nil {
		return all, nil // judging each tool alone falls back alike, and reports the error
	}
	shared = map[int]Shared{}
	for i, apart := range pipeline.TellApart(fitting, nil) {
		var became Shared
		if apart.Tool.Name != fitting[i].Tool.Name {
			became.Name = apart.Tool.Name
		}
		if apart.Fallback != results[i].Fallback {
			became.Fallback = apart.Fallback
		}
		if became != (Shared{}) {
			all[i].result, shared[all[i].index] = apart, became
		}
	}
	return all, shared
}

// numbered is a normalized tool with its index in the document.
type numbered struct {
	index  int
	result normalizers.Result
}

// Request judges the tools as one request, both as given and normalized. It leaves out tools that
// could not be read, and those that the provider refuses alone.
func (j Judge) Request(ctx context.Context, tools []toolfile.Tool, target Target) (Together, error) {
	var together Together
	var raw, all, strict []sent
	for i, tool := range tools {
		if tool.Err == nil {
			together.Tools++
			raw = append(raw, sent{i, tool.Tool})
		}
	}
	normalized, shared := j.normalizeAll(ctx, tools, target)
	together.Shared = shared
	if target.Dialect.API == provider.ToolsList && target.Dialect.Subject == provider.Arguments { // a directory asks for changes
		together.list = target.Dialect.Name
	}
	for _, tool := range normalized {
		all = append(all, sent{tool.index, tool.result.Tool})
		if target.Surface(tool.result.Strict) == target.Dialect {
			strict = append(strict, sent{tool.index, tool.result.Tool})
		}
	}
	var err error
	if together.Raw, err = j.together(ctx, target.Dialect, raw); err != nil {
		return Together{}, err
	}
	for at, findings := range together.Raw.Findings {
		placeFindings(findings, tools[at])
	}
	together.Surface = target.Dialect
	together.Normalized, err = j.together(ctx, target.Dialect, strict)
	if err == nil && len(strict) < len(all) && !together.Normalized.isRefused() {
		together.Surface = target.Fallback
		together.Normalized, err = j.together(ctx, target.Fallback, all)
	}
	return together, err
}

// sent is a tool in a request.
type sent struct {
	index int // in the document
	tool  schema.Tool
}

// together returns what the provider says to one request of those tools that it accepts alone.
func (j Judge) together(ctx context.Context, dialect *provider.Dialect, tools []sent) (Request, error) {
	if len(tools) == 0 {
		return Request{}, nil
	}
	answer, err := j.ask(ctx, dialect, declared(tools))
	if err != nil || answer.Verdict == provider.Accepted {
		return Request{}, err
	}
	var accepted []sent
	for i := range tools {
		alone, err := j.ask(ctx, dialect, declared(tools[i:i+1]))
		if err != nil {
			return Request{}, err
		}
		if alone.Verdict == provider.Accepted {
			accepted = append(accepted, tools[i])
		}
	}
	if len(accepted) < 2 {
		return Request{}, nil
	}
	if len(accepted) < len(tools) {
		if answer, err = j.ask(ctx, dialect, declared(accepted)); err != nil || answer.Verdict == provider.Accepted {
			return Request{}, err
		}
	}
	findings := answer.Findings
	if len(findings) == 0 {
		findings = []provider.Finding{{Message: answer.Message, Declaration: -1}}
	}
	refused := Request{Findings: map[int][]verdict.Finding{}, Evidence: answer.Evidence}
	for _, finding := range findings {
		shown := verdict.Findings(provider.Response{Verdict: provider.Rejected, Findings: []provider.Finding{finding}})
		if guilty := finding.Declaration; guilty >= 0 && guilty < len(accepted) {
			index := accepted[guilty].index
			refused.Findings[index] = append(refused.Findings[index], shown...)
			continue
		}
		for i := range shown {
			shown[i].At, shown[i].Line, shown[i].Column = "", 0, 0
		}
		refused.Whole = append(refused.Whole, shown...)
	}
	return refused, nil
}

// isRefused reports whether the provider refuses the request.
func (r Request) isRefused() bool { return len(r.Findings)+len(r.Whole) > 0 }

// declared returns the tools without their indices.
func declared(tools []sent) []schema.Tool {
	declared := make([]schema.Tool, len(tools))
	for i, tool := range tools {
		declared[i] = tool.tool
	}
	return declared
}

// Amend adds to the result of the tool at an index what the provider says to the request. raw says
// which side must be accepted, as in Judge. A refused request makes the result fail even if the
// evidence about the tool alone did not suffice for a verdict.
func (t Together) Amend(result *verdict.Result, index int, raw bool) {
	tool, isTool := result.Kind.(*verdict.Tool)
	if !isTool {
		return
	}
	fails := false
	if tool.Raw != nil && t.Tools > 1 && tool.RawDialect == t.list {
		for i := range tool.Raw.Findings {
			tool.Raw.Findings[i].Lost = t.Tools
		}
	}
	if tool.Raw != nil && t.Raw.amend(tool.Raw, index) {
		tool.Together, fails = t.Tools, raw
	}
	if tool.Normalized != nil && t.Normalized.amend(&tool.Normalized.Answer, index) {
		tool.Together, tool.Understood, fails = t.Tools, nil, fails || !raw
	}
	isJudged := result.Status == verdict.Inconclusive && tool.Normalized != nil
	if fails && (result.Status == verdict.Pass || isJudged) {
		result.Status, result.Error = verdict.Fail, ""
	}
}

func (r Request) amend(answer *verdict.Answer, index int) bool {
	findings := r.Findings[index]
	if len(findings) == 0 {
		return false
	}
	answer.Verdict, answer.Evidence, answer.Ignored, answer.Seen = provider.Rejected, r.Evidence, nil, nil
	answer.Findings = append(answer.Findings, findings...)
	return true
}

// Result returns the result of the request itself, which names no tool. It is about the side that
// must be accepted, as raw says. It returns false if all findings are about single tools.
func (t Together) Result(source string, target Target, raw bool) (verdict.Result, bool) {
	judged, surface := t.Normalized, t.Surface
	if raw {
		judged, surface = t.Raw, target.Dialect
	}
	if len(judged.Whole) == 0 {
		return verdict.Result{}, false
	}
	return verdict.Result{
		Source: source, Target: target.Name(), Dialect: surface.Name, Status: verdict.Fail,
		Kind: &verdict.Request{Answer: verdict.Answer{Verdict: provider.Rejected, Evidence: judged.Evidence, Findings: judged.Whole}, Tools: t.Tools},
	}, true
}
