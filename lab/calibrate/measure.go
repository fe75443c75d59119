package calibrate

import (
	"context"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Report is how far models agree with evidence.
type Report struct {
	Counts      []Count // by dialect, in the order of the dialects
	Differences []Difference
	Aside       map[string]int // how many rows have no case, by the reason
	// Unmodelled counts those of them that no model can be asked about, by the surface
	// or, for recorded requests, by the host.
	Unmodelled map[string]int
}

// Count is the agreement on one dialect.
type Count struct {
	Dialect string
	// Accepted and Refused count the provider's answers, the other two what the
	// model says otherwise.
	Accepted, FalseRefusals     int
	Refused, FalseAcceptances   int
	Messages, MessagesOtherwise int // refusals whose whole message is known, and those that the model words differently
	Params, ParamsOtherwise     int
	// EchoesOtherwise counts the accepted whose declaration the model takes for
	// another one than the provider did.
	EchoesOtherwise int
}

// Cases returns how many cases were asked and how many verdicts agree.
func (c Count) Cases() (asked, agreed int) {
	asked = c.Accepted + c.Refused
	return asked, asked - c.FalseRefusals - c.FalseAcceptances - c.EchoesOtherwise
}

// Difference is a case on which the model does not agree with the provider.
type Difference struct {
	Case
	Dialect string
	What    string // verdict, message, param or echo
	Model   provider.Response
	// Echo is what the model takes the declaration for, where that is the
	// difference.
	Echo *schema.Node
}

// Measure asks the models of the dialects about every case of the rows, as of the
// day of each.
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
		for _, asked := range cases {
			if err := report.ask(ctx, asked, dialects); err != nil {
				return nil, err
			}
		}
	}
	return report, nil
}

// ask asks about each part until one is refused, as the provider does; the case
// counts for the dialect of that part, or else of the first.
func (r *Report) ask(ctx context.Context, asked Case, dialects []*provider.Dialect) error {
	var said provider.Response
	about := asked.Parts[0].Dialect
	for _, part := range asked.Parts {
		dialect := dialectNamed(dialects, part.Dialect)
		if dialect == nil {
			continue
		}
		request := dialect.Request(part.Declarations)
		request.Indices, request.Places = part.Indices, part.Places
		response, err := (&provider.Model{Dialect: dialect, AsOf: asked.Date, ModelName: asked.Model}).Send(ctx, request)
		if err != nil {
			return err
		}
		if said = response; said.Verdict == provider.Rejected {
			about = part.Dialect
			break
		}
	}
	for i := range r.Counts {
		if r.Counts[i].Dialect == about {
			r.count(&r.Counts[i], asked, dialects[i], said, predictedEcho(asked, dialects))
		}
	}
	return nil
}

// count adds a case with what the model said to it: its answer and, where the case
// is about an echo, its echo.
func (r *Report) count(count *Count, asked Case, dialect *provider.Dialect, said provider.Response, echo *schema.Node) {
	differ := func(what string) {
		r.Differences = append(r.Differences, Difference{Case: asked, Dialect: count.Dialect, What: what, Model: said})
	}
	if asked.Verdict == provider.Accepted {
		count.Accepted++
		if said.Verdict != provider.Accepted {
			count.FalseRefusals++
			differ("verdict")
		} else if echo != nil && !isSameTool(echo, asked.Echo) {
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
	if asked.Whole {
		count.Messages++
		if !dialect.Says(said, asked.Message, false) {
			count.MessagesOtherwise++
			differ("message")
		}
	}
	if asked.Param != "" {
		count.Params++
		if said.Param != asked.Param {
			count.ParamsOtherwise++
			differ("param")
		}
	}
}
