// Sets the defaults of a pod. The spec is a fresh copy and is changed in place.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/v1/defaults.go
import type { Container, PodSpec, Probe, Volume } from './pod-spec.ts'

export function fillPodSpec(spec: PodSpec): void {
  fillTemplateSpec(spec)
  spec.enableServiceLinks ??= true
  for (const { resources } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (resources?.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests }
  }
}

/** Sets the defaults that a pod template of a Job or Deployment already has. */
export function fillTemplateSpec(spec: PodSpec): void {
  spec.restartPolicy ??= 'Always'
  spec.terminationGracePeriodSeconds ??= 30
  spec.dnsPolicy ??= 'ClusterFirst'
  spec.securityContext ??= {}
  spec.schedulerName ??= 'default-scheduler'
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    fillContainer(container, spec.hostNetwork === true)
  }
  for (const volume of spec.volumes ?? []) fillVolume(volume)
}

function fillContainer(container: Container, hostNetwork: boolean): void {
  container.terminationMessagePath ??= '/dev/termination-log'
  container.terminationMessagePolicy ??= 'File'
  container.imagePullPolicy ??= latest(container.image ?? '') ? 'Always' : 'IfNotPresent'
  container.resources ??= {}
  for (const port of container.ports ?? []) {
    port.protocol ??= 'TCP'
    if (hostNetwork && port.containerPort !== undefined) port.hostPort ??= port.containerPort
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) fillProbe(probe)
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) fillHttpGet(handler?.httpGet)
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef !== undefined) valueFrom.fieldRef.apiVersion ??= 'v1'
    if (valueFrom?.resourceFieldRef !== undefined) valueFrom.resourceFieldRef.divisor ??= '0'
  }
}

/** Returns whether an image has no digest, and its tag is `latest` or missing. */
function latest(image: string): boolean {
  if (image.includes('@')) return false
  const tag = /:([^:/]*)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest'
}

function fillProbe(probe: Probe): void {
  probe.timeoutSeconds ??= 1
  probe.periodSeconds ??= 10
  probe.successThreshold ??= 1
  probe.failureThreshold ??= 3
  fillHttpGet(probe.httpGet)
  if (probe.grpc !== undefined) probe.grpc.service ??= ''
}

function fillHttpGet(action: { path?: string; scheme?: string } | undefined): void {
  if (action === undefined) return
  action.path ??= '/'
  action.scheme ??= 'HTTP'
}

function fillVolume(volume: Volume): void {
  if (Object.keys(volume).every((part) => part === 'name')) volume.emptyDir = {}
  if (volume.hostPath !== undefined) volume.hostPath.type ??= ''
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source !== undefined) source.defaultMode ??= 0o644
  }
  const projected = volume.projected?.sources ?? []
  for (const { serviceAccountToken } of projected) {
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= 3600
  }
  for (const files of [volume.downwardAPI, ...projected.map((source) => source.downwardAPI)]) {
    for (const { fieldRef } of files?.items ?? []) if (fieldRef !== undefined) fieldRef.apiVersion ??= 'v1'
  }
}
