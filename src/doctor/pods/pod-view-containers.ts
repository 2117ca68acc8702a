// The containers of a pod spec, in the order in which they start.
import type { Path } from '../finding.ts'
import { asRecord, asRecords, asText, type Raw } from '../raw.ts'
import type { ContainerView } from './pod-view.ts'

export function viewContainers(spec: Raw, path: Path): ContainerView[] {
  const list = (key: string, init: boolean): ContainerView[] =>
    asRecords(spec[key]).flatMap((raw, index) => (raw ? [viewContainer(raw, [...path, key, index], init)] : []))
  return [...list('initContainers', true), ...list('containers', false)]
}

function viewContainer(raw: Raw, path: Path, init: boolean): ContainerView {
  const restartPolicy = asText(raw['restartPolicy'])
  const lifecycle = asRecord(raw['lifecycle']) ?? {}
  const probe = (key: string) => (asRecord(raw[key]) ? { path: [...path, key] } : undefined)
  return {
    name: asText(raw['name']) ?? '',
    role: init ? (restartPolicy === 'Always' ? 'sidecar' : 'init') : 'container',
    path,
    image: asText(raw['image']),
    words: [...words(raw['command']), ...words(raw['args'])],
    env: environment(raw['env']),
    restartPolicy,
    privileged: asRecord(raw['securityContext'])?.['privileged'] === true,
    mounts: mounts(raw['volumeMounts']),
    startupProbe: probe('startupProbe'),
    livenessProbe: probe('livenessProbe'),
    readinessProbe: probe('readinessProbe'),
    postStart: hook(lifecycle, path, 'postStart'),
    preStop: hook(lifecycle, path, 'preStop'),
    raw,
  }
}

function hook(lifecycle: Raw, path: Path, key: string): ContainerView['postStart'] {
  const raw = asRecord(lifecycle[key])
  if (!raw) return undefined
  const exec = asRecord(raw['exec'])
  return { path: [...path, 'lifecycle', key], exec: exec && words(exec['command']) }
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function environment(value: unknown): ContainerView['env'] {
  const variables: Record<string, string | undefined> = {}
  for (const entry of asRecords(value)) {
    const name = entry && asText(entry['name'])
    if (name !== undefined) variables[name] = entry?.['value'] === undefined ? undefined : String(entry['value'])
  }
  return variables
}

function mounts(value: unknown): ContainerView['mounts'] {
  const names: Record<string, string> = {}
  for (const entry of asRecords(value)) {
    const at = entry && asText(entry['mountPath'])
    const name = entry && asText(entry['name'])
    if (at !== undefined && name !== undefined) names[at] = name
  }
  return names
}
