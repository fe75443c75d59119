package facts

import (
	"slices"

	"toolproof/harness/agent/client"
	"toolproof/packages/data"
)

// Clients returns what is known of clients.
func Clients() []data.Client {
	var all []data.Client
	for _, row := range client.Rows {
		known := data.Client{Name: row.Name, Title: row.Title, Introduces: row.Introduces, NotMeasured: row.NotRun}
		if row.Run != nil {
			known.Measured = measured(row.Run)
		}
		if limit := row.Limit; limit != nil {
			known.MostTools = &data.MostTools{Most: limit.Tools, Says: limit.Says, Source: limit.Source, Day: limit.Date}
		}
		if row.BuiltIn != nil {
			known.Tools = slices.Concat(row.BuiltIn.Commands, row.BuiltIn.Others)
		}
		all = append(all, known)
	}
	return all
}

// orders are the words for the orders in which clients send tools.
var orders = map[client.Order]string{client.AsListed: "as_listed", client.ByServer: "by_server", client.ByName: "by_name", client.ByNameAsWords: "by_name"}

// measured returns what was seen of a client that was run.
func measured(run *client.Run) *data.Measured {
	names := run.Names
	seen := &data.Measured{
		Package: run.Package, Version: run.Version, Day: run.Measured, Prefix: run.Prefix, Notes: run.Quirks,
		Names: data.Names{
			Keeps: names.Keeps, For: names.For, Longest: names.Longest, CutsMiddle: names.CutsMiddle, Hashes: names.Hashes,
			SendsEqual: names.Equal == client.SendsAll, Namespace: names.Space, Servers: names.Servers, Order: orders[names.Order],
		},
		OwnTools: run.Own.Tools, OwnTokens: run.Own.Tokens, ReservedServers: run.Reserved,
		Searches: run.HasSearch,
	}
	for _, surface := range run.Surfaces {
		seen.APIs = append(seen.APIs, surface.Name)
	}
	for _, done := range run.Treatments {
		seen.Treatments = append(seen.Treatments, data.Treatment{
			APIs: done.On, SendsNone: done.SendsNone, NeedsDescription: done.NeedsDescription, NeedsType: done.NeedsType,
			StripsEmpty: done.StripsEmpty, Strips: done.Strips, StripsAtRoot: done.StripsAtRoot,
		})
	}
	for _, habit := range run.Habits {
		seen.Habits = append(seen.Habits, habit.Doc)
	}
	return seen
}
