//go:build ignore

// Writes field-table.ts and message-table.ts from Kubernetes' own Go types, by reflection, and list-table.ts from Kubernetes'
// OpenAPI document (api/openapi-spec/swagger.json of k8s.io/kubernetes). Run it in a module that requires k8s.io/api,
// k8s.io/apimachinery and k8s.io/apiextensions-apiserver in the same version, for example in test/kubernetes/control-plane:
//
//	go run generate.go fields > api/fields/field-table.ts
//	go run generate.go messages > wire/protobuf/message-table.ts
//	go run generate.go lists swagger.json > api/apply/list-table.ts
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The format of a table. leaves: the types with a special form. kind: returns the name of any other simple type.
type table struct {
	header string
	roots  []any
	leaves map[string]string
	fields func(t reflect.Type, typeName func(reflect.Type) string) []string
	kind   func(t reflect.Type) string
}

var tables = map[string]table{
	"fields": {
		header: "// Kubernetes' own field names and types (k8s.io/api v0.36.3), written by generate.go. fields.ts explains the format.\n" +
			"\nexport const fieldTable = `\n",
		roots: rootsWith(apiextensionsv1.CustomResourceDefinition{}),
		leaves: map[string]string{
			"v1.Time": "Time", "v1.MicroTime": "MicroTime", "resource.Quantity": "Quantity", "intstr.IntOrString": "IntOrString",
			"v1.FieldsV1": "any", "v1.JSONSchemaProps": "any", "runtime.RawExtension": "any",
		},
		fields: jsonFields,
		kind: func(t reflect.Type) string {
			if t.Kind() == reflect.String && t.Name() != "string" {
				return "$" + t.String()
			}
			return t.Kind().String()
		},
	},
	"messages": {
		header: "// Kubernetes' own messages (k8s.io/api v0.36.3), written by generate.go. messages.ts explains the format.\n" +
			"\nexport const messageTable = `\n",
		roots: append(rootsWith(apiextensionsv1.CustomResourceDefinition{}), metav1.DeleteOptions{}),
		leaves: map[string]string{
			"v1.Time": "Time", "v1.MicroTime": "MicroTime", "resource.Quantity": "Quantity", "intstr.IntOrString": "IntOrString", "v1.FieldsV1": "Raw",
			"runtime.RawExtension": "Raw", "v1.JSON": "Raw",
		},
		fields: messageFields,
		kind: func(t reflect.Type) string {
			switch t.Kind() {
			case reflect.Int32, reflect.Int64, reflect.Uint8:
				return "int"
			}
			return t.Kind().String()
		},
	},
}

func rootsWith(own any) []any {
	return []any{corev1.Pod{}, corev1.Secret{}, corev1.ConfigMap{}, corev1.Namespace{}, corev1.Node{}, corev1.Event{},
		corev1.ServiceAccount{}, corev1.Binding{}, coordinationv1.Lease{}, own, batchv1.Job{}, appsv1.Deployment{},
		rbacv1.Role{}, rbacv1.RoleBinding{}, rbacv1.ClusterRole{}, rbacv1.ClusterRoleBinding{}, batchv1.CronJob{},
		appsv1.DaemonSet{}, appsv1.StatefulSet{}, appsv1.ReplicaSet{}, policyv1.PodDisruptionBudget{}, admissionv1.MutatingWebhookConfiguration{},
		authorizationv1.SelfSubjectAccessReview{}, corev1.Service{}, corev1.Endpoints{}, corev1.PersistentVolumeClaim{},
		corev1.PersistentVolume{}, corev1.ResourceQuota{}, corev1.LimitRange{}, networkingv1.NetworkPolicy{},
		networkingv1.Ingress{}, networkingv1.IngressClass{}, discoveryv1.EndpointSlice{}, schedulingv1.PriorityClass{},
		storagev1.StorageClass{}, admissionv1.ValidatingWebhookConfiguration{}, admissionv1.ValidatingAdmissionPolicy{},
		admissionv1.ValidatingAdmissionPolicyBinding{}, authenticationv1.TokenRequest{},
		authorizationv1.SelfSubjectRulesReview{}, autoscalingv1.Scale{},
		policyv1.Eviction{}, nodev1.RuntimeClass{}, corev1.PodTemplate{}, autoscalingv2.HorizontalPodAutoscaler{}}
}

// Writes one line for each struct, the roots first.
func main() {
	if os.Args[1] == "lists" {
		writeLists(os.Args[2])
		return
	}
	table := tables[os.Args[1]]
	seen := map[string]reflect.Type{}
	var queue []reflect.Type
	// Returns the name of a struct. Two packages may have structs of the same name, with other fields.
	enqueue := func(t reflect.Type) string {
		name := t.Name()
		if seen[name] != nil && seen[name] != t {
			name = path.Base(path.Dir(t.PkgPath())) + "." + name
		}
		if seen[name] == nil {
			seen[name] = t
			queue = append(queue, t)
		}
		return name
	}
	typeName := func(t reflect.Type) string { return typeNameIn(table, t, enqueue) }
	fmt.Print(table.header)
	for _, root := range table.roots {
		enqueue(reflect.TypeOf(root))
	}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		fmt.Println(strings.Join(append([]string{enqueue(next)}, table.fields(next, typeName)...), " "))
	}
	fmt.Print("`\n")
}

func typeNameIn(table table, t reflect.Type, enqueue func(reflect.Type) string) string {
	if leaf, ok := table.leaves[t.String()]; ok {
		return leaf
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeNameIn(table, t.Elem(), enqueue)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + typeNameIn(table, t.Elem(), enqueue)
	case reflect.Map:
		return "{}" + typeNameIn(table, t.Elem(), enqueue)
	case reflect.Struct:
		return enqueue(t)
	}
	return table.kind(t)
}

func jsonFields(t reflect.Type, typeName func(reflect.Type) string) []string {
	var out []string
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case field.Name == "TypeMeta" || name == "-":
		case strings.Contains(options, "inline") || name == "":
			for _, inner := range jsonFields(field.Type, typeName) {
				out = append(out, field.Name+"|"+inner)
			}
		default:
			out = append(out, name+presence(field, options)+typeName(field.Type)+merge(field))
		}
	}
	return out
}

func presence(field reflect.StructField, options string) string {
	zeroKept := !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
	structKept := field.Type.Kind() == reflect.Struct && !strings.Contains(options, "omitzero")
	switch {
	case field.Type.Kind() == reflect.Pointer:
		return "?"
	case zeroKept || structKept:
		return "!"
	}
	return ":"
}

func merge(field reflect.StructField) string {
	strategy := field.Tag.Get("patchStrategy")
	if strategy == "" {
		return ""
	}
	key := field.Tag.Get("patchMergeKey")
	if key != "" {
		key = "@" + key
	}
	return "~" + strategy + key
}

func messageFields(t reflect.Type, typeName func(reflect.Type) string) []string {
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
		switch {
		case options == "" && name == "":
			// The struct has its own form in JSON: that of the one field that is set.
			mark = "="
		case field.Type.Kind() == reflect.Pointer:
			mark = "?"
		}
		out = append(out, tag[1]+mark+name+":"+typeName(field.Type))
	}
	return out
}

type schema struct {
	Properties map[string]schema
	Type       string
	ListType   string   `json:"x-kubernetes-list-type"`
	ListKeys   []string `json:"x-kubernetes-list-map-keys"`
	MapType    string   `json:"x-kubernetes-map-type"`
}

// Writes one line for each struct that has lists with identity, atomic maps, or is atomic itself.
func writeLists(file string) {
	var document struct{ Definitions map[string]schema }
	content, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(content, &document)
	}
	if err != nil {
		panic(err)
	}
	lines := map[string]string{}
	for name, found := range document.Definitions {
		parts := strings.Split(name, ".")
		short := parts[len(parts)-1]
		served := strings.Contains(name, ".v1.") || strings.HasPrefix(name, "io.k8s.api.autoscaling.v2.")
		if !served || strings.HasPrefix(name, "io.k8s.api.events.") {
			continue
		}
		if line := listLine(short, found); line != "" {
			lines[short] = line
		}
	}
	var sorted []string
	for _, line := range lines {
		sorted = append(sorted, line)
	}
	sort.Strings(sorted)
	fmt.Print("// How server-side apply merges Kubernetes' own lists and maps (Kubernetes 1.36.3), written by generate.go. built-in-shape.ts\n" +
		"// explains the format.\n\nexport const listTable = `\n" + strings.Join(sorted, "\n") + "\n`\n")
}

func listLine(name string, of schema) string {
	var marks []string
	for field, inner := range of.Properties {
		switch {
		case inner.ListType == "set":
			marks = append(marks, field+"=set")
		case inner.ListType == "map":
			sort.Strings(inner.ListKeys)
			marks = append(marks, field+"=@"+strings.Join(inner.ListKeys, ","))
		case inner.MapType == "atomic":
			marks = append(marks, field+"=atomic")
		}
	}
	sort.Strings(marks)
	if of.MapType == "atomic" {
		marks = append([]string{"!"}, marks...)
	}
	if len(marks) == 0 {
		return ""
	}
	return name + " " + strings.Join(marks, " ")
}
