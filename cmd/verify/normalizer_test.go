package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"toolproof/normalizers"
	"toolproof/schema"
)

// beNormalizer is a normalizer of somebody else, in the manner of its argument.
func beNormalizer() {
	lines := bufio.NewScanner(os.Stdin)
	const longest = 16 << 20
	lines.Buffer(nil, longest)
	for lines.Scan() {
		var asked struct {
			ID     int          `json:"id"`
			Target string       `json:"target"`
			Tool   *schema.Node `json:"tool"`
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		tool := schema.Tool{Name: asked.Tool.GetString("name"), Description: asked.Tool.Get("description"), Parameters: asked.Tool.Get("parameters")}
		switch os.Args[1] {
		case "good", "without": // a keyword
			result, err := normalizers.Named(asked.Target).Normalize(context.Background(), tool)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			if os.Args[1] == "without" && result.Tool.Parameters != nil {
				result.Tool.Parameters = result.Tool.Parameters.Clone()
				result.Tool.Parameters.Each(func(subschema *schema.Node) bool {
					subschema.Delete(os.Args[2])
					return true
				})
			}
			fmt.Printf("{\"id\":%d,\"tool\":%s,\"strict\":%t}\n", asked.ID, result.Tool.Node(), result.Strict)
		case "same":
			fmt.Printf("{\"id\":%d,\"tool\":%s}\n", asked.ID, asked.Tool)
		case "narrow":
			fmt.Printf("{\"id\":%d,\"tool\":{\"name\":\"f\",\"parameters\":{\"type\":\"OBJECT\",\"properties\":{\"const\":{\"type\":\"INTEGER\"}}}}}\n", asked.ID)
		case "choosy":
			fmt.Printf("{\"id\":%d,\"unsupported\":\"not today\"}\n", asked.ID)
		case "silent":
			time.Sleep(time.Hour)
		default:
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(1)
		}
	}
}
