// ARC: runner sets and controller of different versions. The controller deletes sets that are not of its own (major.minor) version.

import type { Path } from '../../lib/read-json.ts'
import { listAt, textAt, valueAt } from '../../lib/read-json.ts'
import { arcControllers, arcObjects } from '../arc/arc.ts'
import { type ChartRelease, isVersion, mayMeet, type Said } from '../arc/chart-release.ts'
import { chartReleases } from '../arc/chart-releases.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { onePerPlace } from '../one-per-place.ts'
import { imageParts } from '../pods/daemon.ts'
import type { Rule } from '../rule.ts'
import { isUnknown } from '../template-value.ts'

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

/** A controller: the version of the program that runs, and that of the chart, which brings the CRDs. */
type Controller = {
  readonly fact: ObjectFact
  readonly program: Said | undefined
  readonly chart: string | undefined
  readonly cluster: string | undefined
}
type RunnerSet = { readonly said: Said; readonly cluster: string | undefined }

function check(facts: Facts): readonly Hit[] {
  const controllers = [
    ...arcControllers(facts).flatMap(deployed),
    ...chartReleases(facts, 'gha-runner-scale-set-controller').map(released),
  ]
  const split = controllers.flatMap(splitHit)
  return onePerPlace(split.length > 0 ? split : setsOf(facts).flatMap((set) => setHit(set, controllers)))
}

/** Of all controllers that may own the set, none known of its version. Any of an unknown version, or two that differ: which is its own is not known. */
function setHit({ said, cluster }: RunnerSet, all: readonly Controller[]): readonly Hit[] {
  const controllers = all.filter((each) => mayMeet({ cluster }, each))
  const minors = new Set(controllers.map(({ program }) => program && minorOf(program.version)))
  const [controller] = controllers
  const [minor] = minors
  if (!controller?.program || minors.size !== 1 || minor === minorOf(said.version)) return []
  const set = `${nameOf(said.fact)} is of version ${said.version}, the controller (${nameOf(controller.fact)}) of ${controller.program.version}`
  return [
    hitAt(
      said,
      `${set}: a controller deletes the runner sets of another minor version when it starts. Upgrade both together.`,
    ),
  ]
}

/** The image of one version in the chart of another: its CRDs and its runner sets are not of the program's version. */
function splitHit({ program, chart }: Controller): readonly Hit[] {
  if (!program || chart === undefined || minorOf(chart) === minorOf(program.version)) return []
  return [
    hitAt(
      program,
      `The controller's image is of version ${program.version}, its chart of ${chart}: the CRDs are the chart's, and a controller deletes the runner sets of another minor version when it starts. Leave the tag to the chart.`,
    ),
  ]
}

function hitAt({ fact, path }: Said, message: string): Hit {
  return { object: fact.object, document: fact.document, path, message }
}

function nameOf({ object: { kind, name } }: ObjectFact): string {
  return kind === 'Charts' ? `the chart in ${name === '' ? 'this file' : name}` : `${kind} ${name}`
}

function minorOf(version: string): string {
  return version.replace(/^v/, '').split('.').slice(0, 2).join('.')
}

function deployed(fact: ObjectFact): readonly Controller[] {
  const containers = listAt(fact.raw, 'spec', 'template', 'spec', 'containers')
  const manager = Math.max(
    0,
    containers.findIndex((each) => imageParts(textAt(each, 'image')).name === 'gha-runner-scale-set-controller'),
  )
  const image = textAt(containers[manager], 'image')
  // A template of the chart says nothing of what is installed.
  if (isUnknown(image)) return []
  const path = ['spec', 'template', 'spec', 'containers', manager, 'image']
  const chart = /-(\d+\.\d+\.\d+\S*)$/.exec(textAt(fact.raw, 'metadata', 'labels', 'helm.sh/chart') ?? '')?.[1]
  return [{ fact, program: tagged(fact, path, image), chart, cluster: undefined }]
}

function released({ fact, version, image, cluster }: ChartRelease): Controller {
  return { fact, program: image ?? version, chart: version?.version, cluster }
}

/** What can be of another version than its controller; what is being deleted does not matter any more. */
function setsOf(facts: Facts): readonly RunnerSet[] {
  const lasting = ({ raw }: ObjectFact) => valueAt(raw, 'metadata', 'deletionTimestamp') === undefined
  const sets = arcObjects(facts, 'AutoscalingRunnerSet').filter(lasting).flatMap(labelled)
  const listeners = arcObjects(facts, 'AutoscalingListener')
    .filter(lasting)
    .flatMap((fact) => tagged(fact, ['spec', 'image'], textAt(fact.raw, 'spec', 'image')) ?? [])
  const charts = chartReleases(facts, 'gha-runner-scale-set')
  return [
    ...sets.map((said) => ({ said, cluster: undefined })),
    ...charts.flatMap(({ version, cluster }) => (version ? [{ said: version, cluster }] : [])),
    ...listeners.map((said) => ({ said, cluster: undefined })),
  ]
}

function labelled(fact: ObjectFact): readonly Said[] {
  const path = ['metadata', 'labels', 'app.kubernetes.io/version']
  const version = textAt(fact.raw, ...path)
  return isVersion(version) ? [{ fact, path, version }] : []
}

function tagged(fact: ObjectFact, path: Path, image: string | undefined): Said | undefined {
  const { tag } = imageParts(image)
  return isVersion(tag) ? { fact, path, version: tag } : undefined
}
