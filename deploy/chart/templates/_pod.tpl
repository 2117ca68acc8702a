{{/* The spec of a controller's pod. Argument: a dict with `root`, `controller` and `selector`. */}}
{{- define "dayfly.podSpec" -}}
{{- $values := .root.Values -}}
serviceAccountName: {{ include "dayfly.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
# The controller gives its sessions and its Lease back within 45 s.
terminationGracePeriodSeconds: 60
{{- with $values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with $values.runAsUser }}
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: controller
    image: {{ include "dayfly.image" .root }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args:
      - controller
      {{- with .controller.watches }}
      - --namespace={{ . }}
      {{- end }}
      {{- if $values.costLabels }}
      - --cost-labels
      {{- end }}
      - --lease-namespace={{ .root.Release.Namespace }}
      - --lease-name={{ .controller.name }}
      - --health-address={{ $values.http.address }}:{{ $values.http.port }}
      {{- if $values.webhooks.secret }}
      - --webhook-address={{ $values.webhooks.address }}:{{ $values.webhooks.port }}
      - --webhook-secret-file=/etc/dayfly/webhooks/secret
      {{- end }}
      {{- if $values.dashboard.enabled }}
      - --dashboard-address={{ $values.dashboard.address }}:{{ $values.dashboard.port }}
      - --dashboard-access={{ $values.dashboard.access }}
      {{- if $values.dashboard.prices }}
      - --dashboard-prices=/etc/dayfly/dashboard/prices.json
      {{- end }}
      {{- if $values.dashboard.history.existingClaim }}
      - --dashboard-history=/var/lib/dayfly/{{ .controller.name }}
      {{- end }}
      {{- end }}
      - --log-level={{ $values.logLevel }}
      {{- with $values.extraArgs }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    env:
      {{- include "dayfly.environment" .root | nindent 6 }}
      {{- with $values.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    ports:
      - name: http
        containerPort: {{ $values.http.port }}
      {{- if $values.webhooks.secret }}
      - name: webhooks
        containerPort: {{ $values.webhooks.port }}
      {{- end }}
      {{- if $values.dashboard.enabled }}
      - name: dashboard
        containerPort: {{ $values.dashboard.port }}
      {{- end }}
    startupProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 2
      timeoutSeconds: 2
      failureThreshold: 30
    livenessProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /readyz, port: http }
      periodSeconds: 5
      timeoutSeconds: 3
      failureThreshold: 3
    resources:
      {{- toYaml $values.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      runAsNonRoot: true
      capabilities:
        drop: [ALL]
      seccompProfile:
        type: RuntimeDefault
    volumeMounts:
      - name: api-access
        mountPath: /var/run/secrets/kubernetes.io/serviceaccount
        readOnly: true
      {{- if or $values.extraCa.configMap $values.extraCa.secret }}
      - name: extra-ca
        mountPath: /etc/dayfly/ca
        readOnly: true
      {{- end }}
      {{- if $values.webhooks.secret }}
      - name: webhooks
        mountPath: /etc/dayfly/webhooks
        readOnly: true
      {{- end }}
      {{- if and $values.dashboard.enabled $values.dashboard.prices }}
      - name: dashboard
        mountPath: /etc/dayfly/dashboard
        readOnly: true
      {{- end }}
      {{- if and $values.dashboard.enabled $values.dashboard.history.existingClaim }}
      - name: history
        mountPath: /var/lib/dayfly
      {{- end }}
      {{- with $values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  {{- include "dayfly.volumes" .root | nindent 2 }}
{{- include "dayfly.placement" . }}
{{- end }}

{{- define "dayfly.environment" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- with .Values.kubernetesServiceHost }}
- name: KUBERNETES_SERVICE_HOST
  value: {{ . | quote }}
{{- end }}
{{- with .Values.kubernetesServicePort }}
- name: KUBERNETES_SERVICE_PORT
  value: {{ . | quote }}
{{- end }}
{{- with .Values.proxy.https }}
- name: HTTPS_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with .Values.proxy.http }}
- name: HTTP_PROXY
  value: {{ . | quote }}
{{- end }}
{{- if or .Values.proxy.https .Values.proxy.http }}
# The API server is never behind the proxy.
- name: NO_PROXY
  value: {{ prepend .Values.proxy.noProxy "$(KUBERNETES_SERVICE_HOST)" | join "," | quote }}
{{- end }}
{{- with .Values.telemetry.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with .Values.telemetry.headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: headers
{{- end }}
{{- if or .Values.extraCa.configMap .Values.extraCa.secret }}
- name: NODE_EXTRA_CA_CERTS
  value: {{ printf "/etc/dayfly/ca/%s" .Values.extraCa.key | quote }}
{{- end }}
{{- end }}

{{- define "dayfly.volumes" -}}
# The same files as Kubernetes' automatic mount, in this pod only.
- name: api-access
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3607
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- if .Values.extraCa.configMap }}
- name: extra-ca
  configMap:
    name: {{ .Values.extraCa.configMap }}
{{- else if .Values.extraCa.secret }}
- name: extra-ca
  secret:
    secretName: {{ .Values.extraCa.secret }}
    defaultMode: 0440
{{- end }}
{{- with .Values.webhooks.secret }}
- name: webhooks
  secret:
    secretName: {{ . }}
    items: [{ key: {{ $.Values.webhooks.key }}, path: secret }]
{{- end }}
{{- if and .Values.dashboard.enabled .Values.dashboard.prices }}
- name: dashboard
  configMap:
    name: {{ include "dayfly.fullname" . }}-page
{{- end }}
{{- if and .Values.dashboard.enabled .Values.dashboard.history.existingClaim }}
- name: history
  persistentVolumeClaim:
    claimName: {{ .Values.dashboard.history.existingClaim }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "dayfly.placement" -}}
{{- $values := .root.Values }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- with $values.topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
  {{- else }}
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- $.selector | nindent 8 }}
  {{- end }}
  {{- end }}
{{- end }}
