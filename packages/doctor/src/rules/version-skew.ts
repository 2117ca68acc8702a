// Finds runner sets of ARC whose major or minor version differs from their controller's. The controller deletes such sets.
import type { Path } from '@dayfly/kit/read-json'
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import { arcControllers, arcObjects } from '../arc/arc.ts'
import { type ChartRelease, isVersion, mayMeet, type Said } from '../arc/chart-release.ts'
import { chartReleases } from '../arc/chart-releases.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { onePerPlace } from '../one-per-place.ts'
import { isUnknown } from '../read/template/template-value.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'version-skew',
  code: 'ARC404',
  title: "ARC's controller and its runner sets have different versions",
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'guided',
  isCrossObject: true,
  check: (facts) => ({ hits: check(facts) }),
}

/** A controller, with the version of its program and the version of its chart, which installs the CRDs. */
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

/**
 * Reports a set whose version differs from that of all controllers that may own it. If a version is unknown, or two controllers
 * differ, the owner is unknown and nothing is reported.
 */
function setHit({ said, cluster }: RunnerSet, all: readonly Controller[]): readonly Hit[] {
  const controllers = all.filter((each) => mayMeet({ cluster }, each))
  const minors = new Set(controllers.map(({ program }) => program && minorOf(program.version)))
  const [controller] = controllers
  const [minor] = minors
  if (!controller?.program || minors.size !== 1 || minor === minorOf(said.version)) return []
  const set = `${nameOf(said.fact)} has version ${said.version}, but the controller (${nameOf(controller.fact)}) has ${controller.program.version}`
  return [
    hitAt(
      said,
      `${set}. When a controller starts, it deletes the runner sets of other minor versions. Upgrade both together.`,
    ),
  ]
}

/** Reports a controller whose image has another version than its chart, and so than its CRDs and runner sets. */
function splitHit({ program, chart }: Controller): readonly Hit[] {
  if (!program || chart === undefined || minorOf(chart) === minorOf(program.version)) return []
  return [
    hitAt(
      program,
      `The controller's image has version ${program.version}, but its chart has ${chart}. The CRDs come from the chart, and when a controller starts, it deletes the runner sets of other minor versions. Let the chart set the tag.`,
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
  // A template of the chart does not show the installed version.
  if (isUnknown(image)) return []
  const path = ['spec', 'template', 'spec', 'containers', manager, 'image']
  const chart = /-(\d+\.\d+\.\d+\S*)$/.exec(textAt(fact.raw, 'metadata', 'labels', 'helm.sh/chart') ?? '')?.[1]
  return [{ fact, program: tagged(fact, path, image), chart, cluster: undefined }]
}

function released({ fact, version, image, cluster }: ChartRelease): Controller {
  return { fact, program: image ?? version, chart: version?.version, cluster }
}

/** Returns the objects that can have another version than their controller, without those that are being deleted. */
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
