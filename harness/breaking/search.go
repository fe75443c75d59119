package breaking

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"toolproof/harness/meaning"
	"toolproof/schema"
	"toolproof/schema/instance"
)

const (
	seed       = 1
	ofWhole    = 200 // instances made of each schema
	ofPlace    = 120 // and of each schema for a place where they differ
	mostPlaces = 100
)

// version is one version of a schema.
type version struct {
	canonical *schema.Node
	judge     *instance.Schema // of the schema as it is
	locator   *instance.Schema // of the canonical one, whose places tell where an instance is refused
}

// versionOf returns a version of a schema. One of calls says that they are objects, which all are.
func versionOf(d direction, expanded, given *schema.Node) (version, error) {
	if given == nil {
		given = schema.NewObject()
	}
	v := version{canonical: canonical(expanded)}
	if !d.isReversed && v.canonical.Kind == schema.Object && len(v.canonical.Types()) == 0 {
		v.canonical.Set("type", schema.NewString("object"))
	}
	var err error
	if v.judge, err = instance.Compile(given); err == nil {
		v.locator, err = instance.Compile(v.canonical)
	}
	return v, err
}

// witness is an instance that one version accepts and the other refuses.
type witness struct {
	instance *schema.Node
	refusals []schema.Pointer // keywords of the canonical schema that refuses it
	declared bool             // the version that accepts it lists all of its members
}

// search looks for instances about which two versions differ.
type search struct {
	old, new  version
	isOfCalls bool
	// narrower are those that only the old version accepts, wider those that only the new one accepts.
	narrower, wider []witness
	judged          int
	seen            map[uint64]bool
	// failed says why some instances were not judged; nil if all were.
	failed error
}

// searched returns the witnesses for the places at which the versions differ, from instances of both
// schemas and of those focused on each place.
func searched(d direction, older, newer version, places []place) *search {
	s := &search{old: older, new: newer, isOfCalls: !d.isReversed, seen: map[uint64]bool{}}
	isOfMembers := slices.ContainsFunc(places, func(place place) bool {
		return place.at == "" && slices.Contains(place.keywords, "additionalProperties")
	})
	for _, version := range []version{older, newer} {
		made := meaning.Instances(version.canonical, seed, ofWhole)
		s.judge(made)
		if isOfMembers { // of which few have members that are not listed
			for _, instance := range made {
				if instance.Kind == schema.Object {
					s.judge([]*schema.Node{instance.With("extra", &schema.Node{Kind: schema.Null})})
				}
			}
		}
		for _, place := range places[:min(len(places), mostPlaces)] {
			if focus := focused(version.canonical, place.at.Tokens()); focus != version.canonical {
				s.judge(meaning.Instances(focus, seed, ofPlace))
			}
		}
	}
	return s
}

func (s *search) judge(instances []*schema.Node) {
	for _, instance := range instances {
		hash := instance.Hash()
		if s.seen[hash] {
			continue
		}
		s.seen[hash] = true
		s.judged++
		found, isNarrower, ok := s.differ(instance)
		switch {
		case !ok:
		case isNarrower:
			s.narrower = append(s.narrower, found)
		default:
			s.wider = append(s.wider, found)
		}
	}
}

// differ reports whether the versions differ about an instance.
func (s *search) differ(instance *schema.Node) (found witness, isNarrower, ok bool) {
	if s.isOfCalls && instance.Kind != schema.Object || !isExchanged(instance) {
		return witness{}, false, false
	}
	before, failed := s.old.judge.AcceptsWithin(instance)
	after, failedToo := s.new.judge.AcceptsWithin(instance)
	if failed != nil || failedToo != nil {
		s.failed = errors.New("some instances took too many steps to be judged")
		return witness{}, false, false
	}
	if before == after {
		return witness{}, false, false
	}
	accepting, refusing := s.old, s.new
	if after {
		accepting, refusing = s.new, s.old
	}
	refusals, err := refusing.locator.Keywords(instance)
	if err != nil {
		s.failed = err
	}
	return witness{instance, refusals, lists(accepting.canonical, instance)}, before, true
}

// isExchanged reports whether programs agree on all numbers of a value: JSON promises that only of those whose integers
// are at most 2^53-1 (RFC 8259, section 6). Generators add these bounds to every integer, as Zod 4 does, and no call
// that anybody makes is refused for that.
func isExchanged(value *schema.Node) bool {
	const most = 1<<53 - 1
	if value.Kind == schema.Number {
		number, err := strconv.ParseFloat(value.Text, 64)
		return err == nil && math.Abs(number) <= most
	}
	return !slices.ContainsFunc(value.Elements, func(element *schema.Node) bool { return !isExchanged(element) }) &&
		!slices.ContainsFunc(value.Members, func(member schema.Member) bool { return !isExchanged(member.Value) })
}

// best returns the smallest witness that touches a place, made smaller still, and prefers those whose
// members are all declared. It returns nil if there is none.
func (s *search) best(witnesses []witness, isNarrower bool, touches func(refusals []schema.Pointer) bool) *witness {
	var best *witness
	better := func(a, b witness) bool {
		if a.declared != b.declared {
			return a.declared
		}
		return len(a.instance.JSON()) < len(b.instance.JSON())
	}
	for _, found := range witnesses {
		if touches(found.refusals) && (best == nil || better(found, *best)) {
			best = &found
		}
	}
	const most = 200
	for tries := 0; best != nil && tries < most; {
		isSmaller := false
		for _, smaller := range reductions(best.instance) {
			tries++
			if found, is, ok := s.differ(smaller); ok && is == isNarrower && touches(found.refusals) && better(found, *best) {
				best, isSmaller = &found, true
				break
			}
		}
		if !isSmaller {
			break
		}
	}
	return best
}

// reductions returns the value without each of its members and elements, and with each of them reduced.
func reductions(value *schema.Node) []*schema.Node {
	var reduced []*schema.Node
	for i := range value.Members {
		without := *value
		without.Members = slices.Delete(slices.Clone(value.Members), i, i+1)
		reduced = append(reduced, &without)
	}
	for i := range value.Elements {
		without := *value
		without.Elements = slices.Delete(slices.Clone(value.Elements), i, i+1)
		reduced = append(reduced, &without)
	}
	for i, member := range value.Members {
		for _, below := range reductions(member.Value) {
			with := *value
			with.Members = slices.Clone(value.Members)
			with.Members[i].Value = below
			reduced = append(reduced, &with)
		}
	}
	for i, element := range value.Elements {
		for _, below := range reductions(element) {
			with := *value
			with.Elements = slices.Clone(value.Elements)
			with.Elements[i] = below
			reduced = append(reduced, &with)
		}
	}
	return reduced
}
