// Command referee publishes each server.json of standard input, which are JSON strings one a line, with the code of
// mcp-publisher to the registry's own API, and prints what they say. No server is stored, and no package is looked up.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/modelcontextprotocol/registry/cmd/publisher/commands"
	v0 "github.com/modelcontextprotocol/registry/internal/api/handlers/v0"
	"github.com/modelcontextprotocol/registry/internal/api/router"
	"github.com/modelcontextprotocol/registry/internal/auth"
	"github.com/modelcontextprotocol/registry/internal/config"
	"github.com/modelcontextprotocol/registry/internal/service"
	"github.com/modelcontextprotocol/registry/internal/telemetry"
	"github.com/modelcontextprotocol/registry/internal/validators"
	apiv0 "github.com/modelcontextprotocol/registry/pkg/api/v0"
)

// registry takes every server that the validators of a publication take.
type registry struct {
	service.RegistryService
	config *config.Config
}

// looked are how the errors begin of a package that was to be looked up. Only what is decided before that counts.
var looked = []string{"failed to fetch", "failed to verify MCPB package accessibility", "failed to query", "OCI image validation timed out", "failed to get"}

func (r registry) CreateServer(_ context.Context, server *apiv0.ServerJSON) (*apiv0.ServerResponse, error) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for i := range server.Packages {
		one := *server
		one.Packages = server.Packages[i : i+1]
		err := validators.ValidatePublishRequest(gone, one, r.config)
		if err != nil && !errors.Is(err, context.Canceled) {
			isLooked := false
			for _, begin := range looked {
				isLooked = isLooked || strings.Contains(err.Error(), ": "+begin)
			}
			if !isLooked {
				return nil, fmt.Errorf("%s", strings.Replace(err.Error(), "for package 0 ", fmt.Sprintf("for package %d ", i), 1))
			}
		}
	}
	if len(server.Packages) == 0 {
		if err := validators.ValidatePublishRequest(gone, *server, r.config); err != nil {
			return nil, err
		}
	}
	return &apiv0.ServerResponse{Server: *server}, nil
}

func main() {
	settings := &config.Config{JWTPrivateKey: strings.Repeat("ab", 32), EnableRegistryValidation: true}
	metrics, err := telemetry.NewMetrics(noop.Meter{})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	api := router.NewHumaAPI(settings, registry{config: settings}, mux, metrics, &v0.VersionBody{})
	if len(os.Args) > 1 {
		_ = json.NewEncoder(os.Stdout).Encode(api.OpenAPI().Components.Schemas)
		return
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	all := auth.JWTClaims{AuthMethod: auth.MethodNone, Permissions: []auth.Permission{{Action: auth.PermissionActionPublish, ResourcePattern: "*"}}}
	token, err := auth.NewJWTManager(settings).GenerateTokenResponse(context.Background(), all)
	if err != nil {
		panic(err)
	}
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			panic(err)
		}
		if err := out.Encode(commands.Ask(server.URL, []byte(text), token.RegistryToken)); err != nil {
			panic(err)
		}
	}
}
