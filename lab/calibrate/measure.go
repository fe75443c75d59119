package calibrate

import (
	"context"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Report tells how far models agree with evidence.
type Report struct {
	Counts      []Count // in the order of the dialects
	Differences []Difference
	Aside       map[string]int // number of rows without a case, by class
	// Unmodelled counts those rows that no model can answer, by the surface or, for recorded
	// requests, the host.
	Unmodelled map[string]int
}

// Count is the agreement on one dialect.
type Count struct {
	Dialect string
	// Accepted and Refused count the provider's answers; the other two count those of them that
	// the model contradicts.
	Accepted, FalseRefusals     int
	Refused, FalseAcceptances   int
	Messages, MessagesOtherwise int // refusals with a completely known message, and those that the model words differently
	Params, ParamsOtherwise     int
	// EchoesOtherwise counts accepted requests whose declaration the model rewrites differently
	// than the provider.
	EchoesOtherwise int
}

// Cases returns the number of cases and how many of the verdicts agree.
func (c Count) Cases() (cases, agreed int) {
	cases = c.Accepted + c.Refused
	return cases, cases - c.FalseRefusals - c.FalseAcceptances - c.EchoesOtherwise
}

// disagreements returns how often the model and the provider differ.
func (c Count) disagreements() int {
	return c.FalseRefusals + c.FalseAcceptances + c.MessagesOtherwise + c.ParamsOtherwise + c.EchoesOtherwise
}

// Difference is a case on which the model disagrees with the provider.
type Difference struct {
	Case
	Dialect string
	Kind    string // "verdict", "message", "param" or "echo"
	Model   provider.Response
	// Echo is the model's rewrite of the declaration, if Kind is "echo".
	Echo *schema.Node
}

// Measure asks the models of the dialects about every case of the rows, as of the day of each.
func Measure(ctx context.Context, rows []*Row, dialects []*provider.Dialect) (*Report, error) {
	report := &Report{Aside: map[string]int{}, Unmodelled: map[string]int{}}
	for _, dialect := range dialects {
		report.Counts = append(report.Counts, Count{Dialect: dialect.Name})
	}
	for _, row := range rows {
		cases, aside := row.Cases(dialects)
		if aside != "" {
			report.Aside[aside]++
		}
		if aside == NoModelOfSurface || aside == NoModelOfProvider {
			report.Unmodelled[row.askedOf(dialects)]++
		}
		for _, evidence := range cases {
			if err := report.ask(ctx, evidence, dialects); err != nil {
				return nil, err
			}
		}
	}
	return report, nil
}

// ask asks the models as of the day of the case. If only a month or a year is known, the answer of
// any of its days may agree.
func (r *Report) ask(ctx context.Context, evidence Case, dialects []*provider.Dialect) error {
	var best Count
	var said provider.Response
	for day := evidence.Date; ; day = day.Before() {
		about, answer, err := evidence.asked(ctx, day, dialects)
		if err != nil {
			return err
		}
		counted := Count{Dialect: about.Name}
		new(Report).count(&counted, evidence, about, answer, nil)
		if day == evidence.Date || counted.disagreements() < best.disagreements() {
			best, said = counted, answer
		}
		if counted.disagreements() == 0 || evidence.First == "" || day <= evidence.First {
			break
		}
	}
	for i := range r.Counts {
		if r.Counts[i].Dialect == best.Dialect {
			r.count(&r.Counts[i], evidence, dialects[i], said, predictedEcho(evidence, dialects))
		}
	}
	return nil
}

// asked returns the answer to each part on a day until one is refused, as the provider does, and the
// dialect of that part, or else of the first.
func (c Case) asked(ctx context.Context, day provider.Date, dialects []*provider.Dialect) (about *provider.Dialect, said provider.Response, err error) {
	for _, part := range c.Parts {
		dialect := dialectNamed(dialects, part.Dialect)
		if dialect == nil {
			continue
		}
		request := dialect.Request(part.Declarations)
		request.Indices, request.Places = part.Indices, part.Places
		said, err = (&provider.Model{Dialect: dialect, AsOf: day, ModelName: c.Model, Parameters: dialect.ParametersOf(part.Body)}).Send(ctx, request)
		if err != nil {
			return nil, said, err
		}
		if about == nil || said.Verdict == provider.Rejected {
			about = dialect
		}
		if said.Verdict == provider.Rejected {
			break
		}
	}
	return about, said, nil
}

// count adds a case with the model's answer and, if the case has an echo, the model's echo.
func (r *Report) count(count *Count, evidence Case, dialect *provider.Dialect, said provider.Response, echo *schema.Node) {
	differ := func(kind string) {
		r.Differences = append(r.Differences, Difference{Case: evidence, Dialect: count.Dialect, Kind: kind, Model: said})
	}
	if evidence.Verdict == provider.Accepted {
		count.Accepted++
		if said.Verdict != provider.Accepted {
			count.FalseRefusals++
			differ("verdict")
		} else if echo != nil && !isSameTool(echo, evidence.Echo) {
			count.EchoesOtherwise++
			differ("echo")
			r.Differences[len(r.Differences)-1].Echo = echo
		}
		return
	}
	count.Refused++
	if said.Verdict == provider.Accepted {
		count.FalseAcceptances++
		differ("verdict")
	}
	if evidence.Whole {
		count.Messages++
		if !dialect.Says(said, evidence.Message, false) {
			count.MessagesOtherwise++
			differ("message")
		}
	}
	if evidence.Param != "" {
		count.Params++
		if said.Param != evidence.Param {
			count.ParamsOtherwise++
			differ("param")
		}
	}
}
