package python_test

import (
	"testing"

	"toolproof/harness/provider/internal/python"
	"toolproof/schema"
)

// TestValue compares with what Python 3 prints for repr(json.loads(text)).
func TestValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`null`:                       `None`,
		`true`:                       `True`,
		`false`:                      `False`,
		`12`:                         `12`,
		`-0`:                         `0`,
		`123456789012345678901`:      `123456789012345678901`,
		`1.50`:                       `1.5`,
		`1e2`:                        `100.0`,
		`-0.0`:                       `-0.0`,
		`1E-5`:                       `1e-05`,
		`0.0001`:                     `0.0001`,
		`1e15`:                       `1000000000000000.0`,
		`1e16`:                       `1e+16`,
		`1.5e300`:                    `1.5e+300`,
		`9007199254740993.0`:         `9007199254740992.0`,
		`1e400`:                      `inf`,
		`-1e400`:                     `-inf`,
		`""`:                         `''`,
		`"a"`:                        `'a'`,
		`"it's"`:                     `"it's"`,
		`"say \"it\""`:               `'say "it"'`,
		`"it's \"it\""`:              `'it\'s "it"'`,
		`"a\\b"`:                     `'a\\b'`,
		`"\n\r\t\u0000\u001b\u007f"`: `'\n\r\t\x00\x1b\x7f'`,
		`"é\u0416😀"`:                 `'éЖ😀'`,
		`"\u00a0\u200b\ue000"`:       `'\xa0\u200b\ue000'`,
		`"\udb40\udc01"`:             `'\U000e0001'`,
		`[]`:                         `[]`,
		`[1, "a", [null]]`:           `[1, 'a', [None]]`,
		`{}`:                         `{}`,
		`{"b":1, "a":{"c'":true}}`:   `{'b': 1, 'a': {"c'": True}}`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			node, err := schema.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := python.Value(node); got != want {
				t.Errorf("pythonValue = %s, want %s", got, want)
			}
		})
	}
}
