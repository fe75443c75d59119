package openai

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
)

// The surfaces of Azure OpenAI, which serves OpenAI's API with OpenAI's validator and words, and
// still has former limits of names and descriptions.
var (
	AzureChat               = onAzure(Chat, "openai")
	azureChatStrict         = onAzure(ChatStrict, "openai-strict")
	azureResponses          = onAzure(Responses, "openai-responses")
	azureResponsesStrict    = onAzure(responsesStrict, responsesStrict.Relative)
	azureResponsesNonstrict = onAzure(responsesNonstrict, responsesNonstrict.Relative)
	azureResponseFormat     = onAzure(responseFormat, responseFormat.Relative)
	azureTextFormat         = onAzure(textFormat, textFormat.Relative)
)

// The largest numbers of characters that Azure allows in the name and the description of a
// function.
const (
	nameLengthOnAzure        = 64
	descriptionLengthOnAzure = 1024
)

// azureNameTooLong is the limit that OpenAI has raised and Azure has not.
var azureNameTooLong = &provider.Rule{
	Name:   "name_too_long",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Doc:    `a function name on Azure has up to 64 characters`,
	Source: "https://github.com/agno-agi/agno/pull/6653 (2026-02-19); that Azure lags behind OpenAI: docs/providers.md#azure",
	Check:  limit("name", nameLengthOnAzure),
}

// azureDescriptionTooLong is the limit that OpenAI has raised and Azure has not.
var azureDescriptionTooLong = &provider.Rule{
	Name:   "description_too_long",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Doc: `the description of a function on Azure has up to 1,024 characters

Quoted in errors of 2024-11 and 2025-04 and in texts of 2026; when it ends is not known.`,
	Evidence: []string{
		"azure/chat/944701d10691",
		// Near misses.
		"azure/chat/08b2d0823a90",
	},
	Check: limit("description", descriptionLengthOnAzure),
}

// azureUnionSince is the first day on which it depends on the model whether Azure accepts a union at
// the root. On 2026-07-16 GPT-5.6 still refused one.
const azureUnionSince = provider.Date("2026-07-24")

var (
	azureRootUnionBefore = between(rootUnionBefore, "", azureUnionSince)
	azureRootUnion       = between(rootUnion, azureUnionSince, "")
)

// between returns a copy of the rule that holds from one day until another.
func between(rule *provider.Rule, since, until provider.Date) *provider.Rule {
	clone := *rule
	clone.Since, clone.Until = since, until
	return &clone
}

// ofOpenAIAlone are the rules that Azure is not known to have: nameTooLong64, since Azure still has
// that limit in azureNameTooLong, and rules that are each known from one report about OpenAI.
var ofOpenAIAlone = slices.Concat(customRules, []*provider.Rule{
	nameTooLong64, parametersMissing, lengthNotPermitted, arrayItemsBesideTypes, sharedFirstKey, lookaround, lookaroundOfFunctions, schemaURI, enumOfType,
	reasoningEffortBefore, reasoningEffort, reasoningByDefaultBefore, reasoningByDefault,
})

// onAzure returns the row of one of OpenAI's surfaces as Azure serves it. The relative is the name of
// the target whose normalizer makes schemas for it.
func onAzure(dialect *provider.Dialect, relative string) *provider.Dialect {
	azure := *dialect
	azure.Name = "azure/" + strings.TrimPrefix(dialect.Name, dialect.Service()+"/")
	azure.Doc = dialect.Doc + ", on Azure OpenAI"
	azure.Path = "/openai" + dialect.Path
	azure.Relative = relative
	if dialect.Subject == provider.Arguments {
		azure.NameLength, azure.DescriptionLength = nameLengthOnAzure, descriptionLengthOnAzure
	}
	azure.Parameters, azure.Needs = nil, nil // of rules that Azure is not known to have
	azure.Aliases = nil                      // evidence puts the provider beside OpenAI's names
	azure.Traffic = provider.Traffic{Hosts: []string{"*azure.com*"}}
	azure.Account, azure.Control = "", "" // nobody asks Azure
	azure.JudgesCustom = false
	azure.Kin = "Azure serves OpenAI's API with OpenAI's validator: its answers of 2025 and 2026 have the same words. What one report alone tells of OpenAI " +
		"is unknown here: length_not_permitted, array_items_beside_types, parameters_missing, shared_first_key, lookaround, enum_of_type, " +
		"and the rules of reasoning and of custom tools."
	azure.Rules = slices.Clone(dialect.Rules)
	for i, rule := range azure.Rules {
		switch rule {
		case nameTooLong:
			azure.Rules[i] = azureNameTooLong
		case descriptionTooLong:
			azure.Rules[i] = azureDescriptionTooLong
		case rootUnionBefore:
			azure.Rules[i] = azureRootUnionBefore
		case rootUnion:
			azure.Rules[i] = azureRootUnion
		}
	}
	azure.Rules = slices.DeleteFunc(azure.Rules, func(rule *provider.Rule) bool { return rule == nameTooLong64 || rule == schemaURI })
	for i, rule := range azure.Rules {
		if rule.Effect == provider.Rejects && slices.Contains(ofOpenAIAlone, rule) {
			azure.Rules[i] = provider.Unproved(rule)
		}
	}
	return &azure
}
