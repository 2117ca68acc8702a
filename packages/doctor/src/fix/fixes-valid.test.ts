// The API server's own rules accept the fixed form of every bad case and sample, in every version of the fix.
// They refuse unknown fields.
import { readdirSync, readFileSync } from 'node:fs'
import type { Profile } from '@dayfly/cluster/api/api'
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import { ApiError } from '@dayfly/cluster/api/errors'
import type { Registry } from '@dayfly/cluster/api/registry'
import { createStore } from '@dayfly/cluster/store/store'
import { isFull } from '@dayfly/kit/full.fixture'
import { seededRandom } from '@dayfly/kit/random'
import { fieldsAt } from '@dayfly/kit/read-json'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { gatherFacts } from '../engine/gather-facts.ts'
import type { ObjectFact } from '../facts.ts'
import { viewPods } from '../pods/pod-views.ts'
import type { DecodedFile } from '../read/decode/document.ts'
import { filler } from '../read/template/template-value.ts'
import { readRuleFixtures } from '../rule-fixtures.ts'
import { catalogue } from '../rules/catalogue.ts'
import { fixFiles } from './fixes.ts'

const all: readonly Profile[] = ['1.29', '1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36']
// The first, the last before ordinary containers could have a restartPolicy, and the newest.
const profiles = isFull ? all : all.filter((profile) => ['1.29', '1.33', '1.36'].includes(profile))

const pages = catalogue.flatMap(({ slug }) => {
  return readRuleFixtures(slug)
    .filter(({ kind, options }) => kind === 'bad' && options['at'] === undefined)
    .map(({ text }, index) => ({ path: `${slug}-${index + 1}.yaml`, text }))
})
const samples = readdirSync(new URL('../samples/', import.meta.url))
  .filter((name) => name.includes('.yaml'))
  .map((path) => ({ path, text: readFileSync(new URL(`../samples/${path}`, import.meta.url), 'utf8') }))

test.each(profiles)('Kubernetes %s accepts each object that a fix has changed', (profile) => {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1), profile })
  registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } })
  const version = { minors: [Number(profile.slice(2))], declared: true, from: 'the test' }
  const findingsOf = (files: readonly DecodedFile[]) => examine(files, catalogue, { version }).findings
  let taken = 0
  for (const file of [...pages, ...samples]) {
    const before = decodeFiles([file])
    const { files, refused } = fixFiles(before, findingsOf, () => true)
    expect(refused, file.path).toEqual([])
    const old = new Set(factsOf(before).map(({ raw }) => JSON.stringify(raw)))
    const changed = factsOf(files).filter(({ raw }) => !old.has(JSON.stringify(raw)))
    const whole = changed.filter(({ object }) => object.kind !== 'ConfigMap' && object.kind !== 'List')
    for (const fact of whole) {
      const given = toApply(registry, fact, taken++)
      if (given) expect(refusalOf(registry, given), `${file.path}, ${fact.object.kind}`).toBeUndefined()
    }
  }
  expect(taken).toBeGreaterThan(30)
})

function factsOf(files: readonly DecodedFile[]): readonly ObjectFact[] {
  return gatherFacts(files.flatMap(({ objects }) => objects)).objects
}

type Given = { readonly resource: string; readonly object: Record<string, unknown> }

/** Returns the object or, for a custom kind or values, the pod that it makes. Undefined if it makes none. */
function toApply(registry: Registry, fact: ObjectFact, number: number): Given | undefined {
  const { apiVersion, kind } = fact.object
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const known = registry.kinds.all().find((one) => one.kind === kind && one.group === group)
  const metadata = { ...fieldsAt(fact.raw, 'metadata'), name: `n-${number}`, namespace: 'default' }
  if (known) return { resource: known.resource, object: rendered({ ...withSelector(fact), metadata }) }
  const [pod] = viewPods([fact])
  const spec = pod && fieldsAt(fact.raw, ...pod.path)
  return spec && { resource: 'pods', object: rendered({ apiVersion: 'v1', kind: 'Pod', metadata, spec }) }
}

/** Adds fields that the pages omit for brevity. */
function withSelector({ object, raw }: ObjectFact): Readonly<Record<string, unknown>> {
  if (!object.apiVersion.startsWith('apps/')) return raw
  const labels = { app: 'it' }
  const template = {
    ...fieldsAt(raw, 'spec', 'template'),
    metadata: { ...fieldsAt(raw, 'spec', 'template', 'metadata'), labels },
  }
  return { ...raw, spec: { ...fieldsAt(raw, 'spec'), selector: { matchLabels: labels }, template } }
}

/** Replaces template markers by a text that is a name, a quantity and base64. */
function rendered(object: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(object).replace(new RegExp(`${filler}+`, 'g'), '1111'))
}

function refusalOf(registry: Registry, { resource, object }: Given): string | undefined {
  try {
    registry.create(resource, object as never, { fieldValidation: 'Strict' })
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.message
  }
}
