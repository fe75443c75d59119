package client

// Kilo's program for the command line is made of opencode, and is configured as that is.
var kilo = &Row{
	Name: "kilo", Title: "Kilo Code CLI",
	Introduces: []string{"Kilo-Code"},
	Run: &Run{
		Program: "kilo", Package: "@kilocode/cli", Version: "7.7.7", Measured: "2026-11-23",
		Surfaces: []Surface{chat, responses, messages, gemini},
		Prefix:   "SERVER_",
		Names:    Names{Keeps: "_-", For: "_"},
		Own:      Own{Tools: 16},
		Treatments: []Treatment{
			{On: []string{"chat", "messages"}},
			{
				On: []string{"responses"},
				Strips: []string{
					"title", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "minProperties", "maxProperties",
				},
			},
			{
				On:     []string{"gemini"},
				Strips: []string{"title", "default", "minimum", "maximum", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties"},
			},
		},
		Habits: []Habit{closes},
		Setup:  func(place Place) Setup { return opencodeSetup("kilo", place) },
	},
	NotRead: "No command looks for its file. With --config it is read as that of another client.",
	BuiltIn: &BuiltIn{
		Commands: []string{"bash", "background_process"},
		Others: []string{
			"board_post", "board_read", "cancel_wakeup", "edit", "glob", "grep", "kilo_local_recall", "read", "schedule_wakeup", "skill", "task", "todowrite",
			"webfetch", "write",
		},
	},
}
