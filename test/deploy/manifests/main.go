// Decodes Kubernetes manifests as the API server does with fieldValidation=Strict: unknown and doubled fields are errors.
package main

import (
	"bytes"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	failed := false
	for _, file := range os.Args[1:] {
		content, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, document := range bytes.Split(content, []byte("\n---\n")) {
			if err := decode(document); err != nil {
				fmt.Printf("%s: %v\n", file, err)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

func decode(document []byte) error {
	var header struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(document, &header); err != nil {
		return err
	}
	kinds := map[string]any{
		"v1 ConfigMap":                  &corev1.ConfigMap{},
		"v1 Service":                    &corev1.Service{},
		"apps/v1 StatefulSet":           &appsv1.StatefulSet{},
		"batch/v1 Job":                  &batchv1.Job{},
		"policy/v1 PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
	}
	kind := header.APIVersion + " " + header.Kind
	object, known := kinds[kind]
	if !known {
		return fmt.Errorf("unknown kind %q", kind)
	}
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	fmt.Println(kind, "is valid")
	return nil
}
