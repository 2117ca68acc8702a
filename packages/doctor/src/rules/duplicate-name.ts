// Finds names of a pod that occur twice, so that the API server refuses it.
import { type JsonObject, listAt, type Path, textAt, valueAt } from '@dayfly/kit/read-json'
import { valuesVersion } from '../chart-kinds.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { hitIn, writtenPods } from '../pods/pod-parts.ts'
import { isUnknown } from '../read/template/template-value.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'duplicate-name',
  code: 'POD119',
  title: 'The API server refuses the pod, because it uses a name twice',
  severity: 'error',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  check,
}

function check(facts: Facts) {
  const branching = new Set(facts.objects.filter(hasBranches).map(({ object }) => object))
  // Only one branch of a template may be in the pod, and which one is unknown.
  const pods = writtenPods(facts).filter(({ object }) => !branching.has(object))
  return { hits: pods.flatMap((pod) => duplicatesIn(pod)) }
}

function hasBranches({ source }: ObjectFact): boolean {
  return source?.hasBranches() === true
}

/** One named entry. `what`: the kind of name, for the message. */
type Entry = { readonly what: string; readonly name: string; readonly path: Path; readonly container?: string }

function duplicatesIn(pod: PodView): readonly Hit[] {
  const containers = pod.containers.filter(({ added }) => added === undefined)
  const lists: readonly (readonly Entry[])[] = [
    [
      ...chartContainers(pod),
      ...containers.map(({ name, path }) => ({ what: 'container', name, path, container: name })),
    ],
    pod.volumes.map(({ name, path }) => ({ what: 'volume', name, path })),
    ...containers.flatMap((container) => [
      entriesOf(container, 'volumeMounts', 'mountPath', 'mount path'),
      entriesOf(container, 'ports', 'name', 'port'),
    ]),
  ]
  return lists.flatMap((entries) => secondOnes(entries).map((entry) => duplicate(pod, entry)))
}

function entriesOf({ raw, path, name }: ContainerView, key: string, field: string, what: string): readonly Entry[] {
  return listAt(raw, key).flatMap((each, index) => {
    const value = textAt(each, field)
    return value === undefined ? [] : [{ what, name: value, path: [...path, key, index], container: name }]
  })
}

/** Returns the entries whose name an earlier one has. Nothing is known about a name that a template computes. */
function secondOnes(entries: readonly Entry[]): readonly Entry[] {
  const seen = new Set<string>()
  return entries.filter(({ name }) => {
    if (name === '' || isUnknown(name)) return false
    const isSecond = seen.has(name)
    seen.add(name)
    return isSecond
  })
}

function duplicate(pod: PodView, { what, name, path, container }: Entry): Hit {
  const isOfChart = what === 'container' && chartContainers(pod).some((one) => one.name === name)
  const why = isOfChart ? `ARC's chart adds a container ${name} itself` : `it has the ${what} ${name} twice`
  const where = what === 'container' ? ' (init containers and containers share their names)' : ''
  return hitIn(pod, {
    path,
    ...(container === undefined ? {} : { container }),
    message: `The API server refuses the pod, because ${why}${isOfChart ? '' : where}. ${
      isOfChart ? 'Remove yours, or set containerMode to none and write the whole pod.' : 'Rename or remove one.'
    }`,
  })
}

/** The init containers that ARC's chart adds in its mode `dind`. It replaces a container `dind` of the user, so that one is no second. */
function chartContainers({ object, raw }: PodView): readonly Entry[] {
  const isDind = object.apiVersion === valuesVersion && valueAt(raw as JsonObject, 'containerMode', 'type') === 'dind'
  return isDind ? [{ what: 'container', name: 'init-dind-externals', path: ['containerMode'] }] : []
}
