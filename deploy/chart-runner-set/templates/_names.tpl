{{- define "dayfly-runner-set.labels" -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")
  "app.kubernetes.io/name" .Chart.Name
  "app.kubernetes.io/instance" .Release.Name
  "app.kubernetes.io/managed-by" .Release.Service }}
{{- toYaml (merge $own .Values.labels) }}
{{- end }}

{{/* The accounts of the sets with `jobs: pods`. */}}
{{- define "dayfly-runner-set.jobAccounts" -}}
{{- $accounts := dict }}
{{- range $name, $spec := .Values.sets }}
{{- $set := mergeOverwrite (deepCopy $.Values.defaults) $spec }}
{{- if eq (get $set "jobs" | default "host") "pods" }}
{{- $_ := set $accounts (dig "serviceAccount" "dayfly-job-pods" (get $set "jobPods" | default dict)) true }}
{{- end }}
{{- end }}
accounts: {{ keys $accounts | sortAlpha | toJson }}
{{- end }}
