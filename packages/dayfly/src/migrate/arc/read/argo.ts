// Finds ARC's runners in Argo CD: Applications, and ApplicationSets with written list elements.
import { type Application, argoApplications, marker } from '@dayfly/doctor/arc/argo-releases'
import { arcChart } from '@dayfly/doctor/arc/chart-release'
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import { fieldsAt, isJsonObject, listAt, type Path, textAt, valueAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import { showPath, type Values } from '../values.ts'
import { assemble, describesRunners, layerOf, unreadLine, valuePaths } from './assemble.ts'
import { chartIn } from './chart-files.ts'
import { type FoundReleases, noReleases, together } from './found-releases.ts'
import { branchNotes, fileEndingIn, type Input, isBelow, valuesIn, valuesInText } from './input.ts'
import { type Setting, typedValue, valuesOfSettings } from './set-path.ts'

export function argoSets(input: Input): FoundReleases {
  return together(argoApplications(input.facts).map((application) => fromApplication(input, application)))
}

function fromApplication(input: Input, application: Application): FoundReleases {
  const { spec } = application
  const object = input.objects[application.fact.document ?? -1]
  if (!object) return noReleases
  const several = listAt(object.value, ...spec, 'sources').map((_, index): Path => [...spec, 'sources', index])
  const sources = fieldsAt(object.value, ...spec, 'source') ? [[...spec, 'source'], ...several] : several
  return together(sources.map((source) => fromSource(input, { application, object, source })))
}

type Source = { readonly application: Application; readonly object: SourceObject; readonly source: Path }

function fromSource(input: Input, at: Source): FoundReleases {
  const { application, object, source } = at
  const { fact, spec } = application
  const text = (...path: Path) => fill(textAt(fact.raw, ...path), application)
  const chart =
    arcChart(text(...source, 'chart')) ??
    arcChart(text(...source, 'path')) ??
    arcChart(ofRegistry(text(...source, 'repoURL')))
  if (chart === 'gha-runner-scale-set-controller') return noReleases
  const { layers, notes, used } = layersOf(input, at)
  const isChart = chart !== undefined
  const around = isChart ? undefined : chartIn(input, text(...source, 'path'))
  const isPart = isChart || around !== undefined || layers.some((layer) => valuePaths(layer).length > 0)
  const file = object.document.file.path
  const kind = textAt(object.value, 'kind') === 'ApplicationSet' ? 'ApplicationSet' : 'Application'
  if (!isPart) return noReleases
  const name = text(...source, 'helm', 'releaseName') ?? text(...spec.slice(0, -1), 'metadata', 'name')
  const releases = assemble({
    form: `Argo CD ${kind}`,
    file,
    at: [...object.path, ...(application.element ?? [])],
    name: name?.includes('{{') ? undefined : name,
    namespace: text(...spec, 'destination', 'namespace'),
    isChart,
    chart: around,
    layers,
    notes,
  }).filter((release) => describesRunners(release.values))
  const empty = unreadLine(file, [...object.path, ...source], 'The values of this Application are not here.')
  return { releases, used, unread: releases.length > 0 ? [] : notes.length > 0 ? notes : [empty] }
}

function ofRegistry(url: string | undefined): string | undefined {
  return url?.startsWith('oci://') ? url : undefined
}

/** Returns the layers in the order in which Argo CD merges them. */
function layersOf(input: Input, at: Source) {
  const { application, object, source } = at
  const file = object.document.file.path
  const notes: Line[] = []
  const layers: Values[] = []
  const helm: Path = [...source, 'helm']
  for (const [index, named] of listAt(object.value, ...helm, 'valueFiles').entries()) {
    const path = [...helm, 'valueFiles', index]
    const name = fill(textAt(application.fact.raw, ...path), application) ?? String(named)
    const missing = unreadLine(file, [...object.path, ...path], `The values file ${name} is not in the input.`)
    const { layer, note } = layerOf(findValuesFile(input, at, name), missing)
    if (layer) layers.push(layer)
    if (note) notes.push(note)
  }
  const text: Path = [...helm, 'values']
  if (valueAt(object.value, ...text) !== undefined) notes.push(...branchNotes(object, text))
  const embedded = embeddedIn(input, object, text)
  for (const layer of [valuesInText(object, text), valuesIn(object, [...helm, 'valuesObject'])]) {
    if (layer) layers.push(filledValues(layer, application))
  }
  const settings = settingsOf(object, helm, application)
  if (settings.length > 0) layers.push(valuesOfSettings(file, settings))
  const used = input.objects.filter(
    (one) => one.kind === 'values' && (embedded.includes(one) || isBelow(one, object, helm)),
  )
  return { layers, notes, used }
}

/** Returns the objects in this string. */
function embeddedIn({ objects }: Input, object: SourceObject, path: Path): readonly SourceObject[] {
  const whole = showPath([...object.path, ...path])
  return objects.filter(
    ({ document }) => document.host?.document === object.document && showPath(document.host.path) === whole,
  )
}

/** `$values/…` names a file of another source of the Application. Any other is beside the chart. */
function findValuesFile(input: Input, { application, source }: Source, name: string) {
  const inRepository = /^\$[\w-]+\/(.*)$/.exec(name)?.[1]
  if (inRepository !== undefined) return fileEndingIn(input, inRepository)
  const folder = fill(textAt(application.fact.raw, ...source, 'path'), application)
  const parts: string[] = folder?.split('/') ?? []
  for (const step of name.split('/')) {
    if (step === '..') parts.pop()
    else if (step !== '.') parts.push(step)
  }
  return fileEndingIn(input, parts.join('/'))
}

function settingsOf(object: SourceObject, helm: Path, application: Application): readonly Setting[] {
  return listAt(object.value, ...helm, 'parameters').flatMap((entry, index) => {
    const at = [...object.path, ...helm, 'parameters', index]
    const name = textAt(entry, 'name')
    const raw = textAt(application.fact.raw, ...helm, 'parameters', index, 'value')
    const value = fill(raw, application) ?? ''
    const isText = valueAt(entry, 'forceString') === true
    return name === undefined
      ? []
      : [{ name, value: isText ? value : typedValue(value), isComputed: /\{\{|\uE000/.test(value), at }]
  })
}

/** Fills in the values of the ApplicationSet's element. */
function fill(text: string | undefined, { fact, element }: Application): string | undefined {
  return text?.replace(marker, (whole, name: string) => {
    const value = element && valueAt(fact.raw, ...element, ...name.split('.'))
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
}

function filledValues(values: Values, application: Application): Values {
  if (application.element === undefined) return values
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value, application)
    if (Array.isArray(value)) return value.map(visit)
    return isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visit(member)]))
      : value
  }
  const root = visit(values.root) as Values['root']
  return {
    ...values,
    root,
    isComputed: (path) => values.isComputed(path) && /\{\{/.test(String(valueAt(root, ...path))),
  }
}
