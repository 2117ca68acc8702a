// ARC: runner sets and controller of different versions. The controller deletes sets that are not of its own (major.minor) version.
import { arcControllers, arcObjects } from '../arc.ts'
import { imageParts } from '../daemon.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import { listAt, textAt } from '../fields.ts'
import type { Hit, Path } from '../finding.ts'
import { objectsOf } from '../live-pod.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'version-skew',
  code: 'ARC404',
  title: "ARC's controller and its runner sets are of different versions",
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'guided',
  check: (facts) => ({ hits: check(facts) }),
}

/** Something that says of which version it is, and where it says so. */
type Versioned = { readonly fact: ObjectFact; readonly path: Path; readonly version: string }

function check(facts: Facts): readonly Hit[] {
  const controllers = [
    ...arcControllers(facts).flatMap(controllerVersion),
    ...released(facts, 'gha-runner-scale-set-controller'),
  ]
  const versions = new Set(controllers.map(({ version }) => minorOf(version)))
  const [controller] = controllers
  // Two controllers, each of its own version: which one a set belongs to is not known.
  if (!controller || versions.size !== 1) return []
  const sets = [
    ...arcObjects(facts, 'AutoscalingRunnerSet').flatMap(setVersion),
    ...released(facts, 'gha-runner-scale-set'),
    ...arcObjects(facts, 'AutoscalingListener').flatMap(listenerVersion),
  ]
  return sets
    .filter(({ version }) => !versions.has(minorOf(version)))
    .map(({ fact, path, version }) => ({
      object: fact.object,
      document: fact.document,
      path,
      message: `${fact.object.kind} ${fact.object.name} is of version ${version}, the controller (${controller.fact.object.kind} ${controller.fact.object.name}) of ${controller.version}: a controller deletes the runner sets of another minor version when it starts. Upgrade both together.`,
    }))
}

function minorOf(version: string): string {
  return version.replace(/^v/, '').split('.').slice(0, 2).join('.')
}

function controllerVersion(fact: ObjectFact): readonly Versioned[] {
  return listAt(fact.raw, 'spec', 'template', 'spec', 'containers').flatMap((container, index) => {
    const { name, tag } = imageParts(textAt(container, 'image'))
    if (name !== 'gha-runner-scale-set-controller' || !isVersion(tag)) return []
    return [{ fact, path: ['spec', 'template', 'spec', 'containers', index, 'image'], version: tag }]
  })
}

function setVersion(fact: ObjectFact): readonly Versioned[] {
  const path = ['metadata', 'labels', 'app.kubernetes.io/version']
  const version = textAt(fact.raw, ...path)
  return version !== undefined && isVersion(version) ? [{ fact, path, version }] : []
}

function listenerVersion(fact: ObjectFact): readonly Versioned[] {
  const { name, tag } = imageParts(textAt(fact.raw, 'spec', 'image'))
  if (name !== 'gha-runner-scale-set-controller' || !isVersion(tag)) return []
  return [{ fact, path: ['spec', 'image'], version: tag }]
}

/** Releases of a chart by Argo CD and Flux. */
function released(facts: Facts, chart: string): readonly Versioned[] {
  const places: readonly [string, Path, string][] = [
    ['Application', ['spec', 'source'], 'targetRevision'],
    ['HelmRelease', ['spec', 'chart', 'spec'], 'version'],
  ]
  return places.flatMap(([kind, at, key]) =>
    objectsOf(facts, kind).flatMap((fact) => {
      const name = textAt(fact.raw, ...at, 'chart')
        ?.split('/')
        .at(-1)
      const version = textAt(fact.raw, ...at, key)
      return name === chart && version !== undefined && isVersion(version)
        ? [{ fact, path: [...at, key], version }]
        : []
    }),
  )
}

function isVersion(text: string): boolean {
  return /^v?\d+\.\d+\.\d+/.test(text)
}
