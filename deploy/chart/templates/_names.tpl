{{- define "dayfly.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "dayfly.fullname" -}}
{{- $name := include "dayfly.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "dayfly.commonLabels" -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")
  "app.kubernetes.io/name" (include "dayfly.name" .)
  "app.kubernetes.io/instance" .Release.Name
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "app.kubernetes.io/component" "controller" }}
{{- toYaml (merge $own .Values.commonLabels) }}
{{- end }}

{{/* The labels of a pod. Those that select it win: a Deployment cannot change its selector. Argument: a dict with `root` and `selector`. */}}
{{- define "dayfly.podLabels" -}}
{{- toYaml (merge (fromYaml .selector) .root.Values.podLabels .root.Values.commonLabels) }}
{{- end }}

{{/* The name of a controller's ServiceAccount. Argument: a dict with `root` and `controller`. */}}
{{- define "dayfly.serviceAccount" -}}
{{- default .controller.name .root.Values.serviceAccount.name }}
{{- end }}

{{/*
The controllers of this release, as YAML: `controllers: [{name, watches}]`. `watches` is empty for the whole cluster.
A name is at most 52 characters long, because the names of its pods are longer and are host names.
*/}}
{{- define "dayfly.controllers" -}}
{{- $fullname := include "dayfly.fullname" . }}
controllers:
{{- if eq .Values.scope "cluster" }}
  - { name: {{ $fullname }}, watches: "" }
{{- else if not .Values.watchNamespaces }}
  - { name: {{ $fullname }}, watches: {{ .Release.Namespace }} }
{{- else }}
{{- range .Values.watchNamespaces }}
{{- $name := printf "%s-%s" $fullname . }}
{{- if gt (len $name) 52 }}
{{- $name = printf "%s-%s" (trunc 43 $name | trimSuffix "-") (sha256sum . | trunc 8) }}
{{- end }}
  - { name: {{ $name }}, watches: {{ . }} }
{{- end }}
{{- end }}
{{- end }}

{{/* The labels by which a controller's pods are selected. Argument: a dict with `root` and `controller`. */}}
{{- define "dayfly.selectorLabels" -}}
app.kubernetes.io/name: {{ include "dayfly.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: controller
dayfly.dev/controller: {{ .controller.name }}
{{- end }}

{{- define "dayfly.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end }}
