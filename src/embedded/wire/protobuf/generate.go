//go:build ignore

// Writes message-table.ts from Kubernetes' own Go types, by reflection. In a module that requires
// k8s.io/api and k8s.io/apimachinery at one version: go run generate.go > message-table.ts
package main

import (
	"fmt"
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const header = "// Kubernetes' own messages (k8s.io/api v0.36.3), written by generate.go: how to read a line stands in messages.ts.\n" +
	"\nexport const messageTable = `\n"

// Messages with a JSON form of their own.
var leaves = map[string]string{
	"v1.Time": "Time", "v1.MicroTime": "MicroTime", "resource.Quantity": "Quantity", "intstr.IntOrString": "IntOrString", "v1.FieldsV1": "Raw",
}

var seen = map[string]bool{}
var queue []reflect.Type

func main() {
	fmt.Print(header)
	for _, root := range []any{corev1.Pod{}, corev1.Secret{}, corev1.ConfigMap{}, corev1.Namespace{}, corev1.Node{}, corev1.Event{},
		corev1.ServiceAccount{}, corev1.Binding{}, coordinationv1.Lease{}, metav1.DeleteOptions{}, batchv1.Job{}, appsv1.Deployment{},
		rbacv1.Role{}, rbacv1.RoleBinding{}, rbacv1.ClusterRole{}, rbacv1.ClusterRoleBinding{}, batchv1.CronJob{},
		appsv1.DaemonSet{}, appsv1.StatefulSet{}, appsv1.ReplicaSet{}, policyv1.PodDisruptionBudget{}, admissionv1.MutatingWebhookConfiguration{},
		authorizationv1.SelfSubjectAccessReview{}} {
		enqueue(reflect.TypeOf(root))
	}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		fmt.Println(strings.Join(append([]string{next.Name()}, fields(next)...), " "))
	}
	fmt.Print("`\n")
}

func enqueue(t reflect.Type) {
	if !seen[t.Name()] {
		seen[t.Name()] = true
		queue = append(queue, t)
	}
}

func fields(t reflect.Type) []string {
	var out []string
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("protobuf"), ",")
		if field.Name == "TypeMeta" || len(tag) < 2 {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.Contains(options, "inline") {
			name = ""
		}
		mark := ":"
		if field.Type.Kind() == reflect.Pointer {
			mark = "?"
		}
		out = append(out, tag[1]+mark+name+":"+typeName(field.Type))
	}
	return out
}

func typeName(t reflect.Type) string {
	if leaf, ok := leaves[t.String()]; ok {
		return leaf
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + typeName(t.Elem())
	case reflect.Map:
		return "{}" + typeName(t.Elem())
	case reflect.Struct:
		enqueue(t)
		return t.Name()
	case reflect.Int32, reflect.Int64, reflect.Uint8:
		return "int"
	}
	return t.Kind().String()
}
