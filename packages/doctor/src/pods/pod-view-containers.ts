// Views the containers of a pod spec, in the order in which they start.
import { fieldsAt, isJsonObject, type JsonObject, listAt, type Path, textAt, valueAt } from '@dayfly/kit/read-json'
import type { ContainerView } from '../pod-view.ts'
import { filler } from '../read/template/template-value.ts'

export function viewContainers(spec: JsonObject, path: Path): ContainerView[] {
  return [...viewList(spec, path, 'initContainers'), ...viewList(spec, path, 'containers')]
}

/** Views a list of containers: `initContainers`, or one of ordinary containers. */
export function viewList(spec: JsonObject, path: Path, key: string): ContainerView[] {
  return listAt(spec, key).flatMap((raw, index) =>
    isJsonObject(raw) ? [viewContainer(raw, [...path, key, index], key === 'initContainers')] : [],
  )
}

export function viewContainer(raw: JsonObject, path: Path, init: boolean): ContainerView {
  const restartPolicy = textAt(raw, 'restartPolicy')
  const lifecycle = fieldsAt(raw, 'lifecycle') ?? {}
  const probe = (key: string) => (fieldsAt(raw, key) ? { path: [...path, key] } : undefined)
  return {
    name: textAt(raw, 'name') ?? '',
    role: init ? (restartPolicy === 'Always' ? 'sidecar' : 'init') : 'container',
    path,
    image: withoutUnknownEnd(textAt(raw, 'image')),
    words: [...words(raw, 'command'), ...words(raw, 'args')],
    env: environment(raw),
    restartPolicy,
    privileged: valueAt(raw, 'securityContext', 'privileged') === true,
    mounts: mounts(raw),
    startupProbe: probe('startupProbe'),
    livenessProbe: probe('livenessProbe'),
    readinessProbe: probe('readinessProbe'),
    postStart: hook(lifecycle, path, 'postStart'),
    preStop: hook(lifecycle, path, 'preStop'),
    raw,
  }
}

const unknownEnd = new RegExp(`((?:^|\\/)[\\w.-]*\\w)${filler}+$`)

/** A template often computes the tag together with its colon: `runner${local.tag}` has the name `runner`. */
function withoutUnknownEnd(image: string | undefined): string | undefined {
  return image?.replace(unknownEnd, '$1')
}

function hook(lifecycle: JsonObject, path: Path, key: string): ContainerView['postStart'] {
  const raw = fieldsAt(lifecycle, key)
  if (!raw) return undefined
  const exec = fieldsAt(raw, 'exec')
  return { path: [...path, 'lifecycle', key], exec: exec && words(exec, 'command') }
}

function words(holder: JsonObject, field: string): string[] {
  return listAt(holder, field).map(String)
}

function environment(container: JsonObject): ContainerView['env'] {
  const variables: Record<string, string | undefined> = {}
  for (const entry of listAt(container, 'env')) {
    const name = textAt(entry, 'name')
    const value = valueAt(entry, 'value')
    if (name !== undefined) variables[name] = value === undefined ? undefined : String(value)
  }
  return variables
}

function mounts(container: JsonObject): ContainerView['mounts'] {
  const names: Record<string, string> = {}
  for (const entry of listAt(container, 'volumeMounts')) {
    const at = textAt(entry, 'mountPath')
    const name = textAt(entry, 'name')
    if (at !== undefined && name !== undefined) names[at] = name
  }
  return names
}
