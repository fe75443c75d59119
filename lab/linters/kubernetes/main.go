// Kubernetes reads an indexed Job from standard input with the types of Kubernetes' own API, and refuses members that
// these do not have. It is a module of its own, so that nobody else downloads that API.
package main

import (
	"fmt"
	"io"
	"os"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	var job batch.Job
	if err == nil {
		err = yaml.UnmarshalStrict(text, &job)
	}
	if err == nil && (job.APIVersion != "batch/v1" || job.Kind != "Job") {
		err = fmt.Errorf("it is a %s of %s, and no Job of batch/v1", job.Kind, job.APIVersion)
	}
	if err == nil && (job.Spec.CompletionMode == nil || *job.Spec.CompletionMode != batch.IndexedCompletion) {
		err = fmt.Errorf("its completionMode is not %s", batch.IndexedCompletion)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
