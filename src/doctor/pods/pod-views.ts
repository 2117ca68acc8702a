// Builds the pod views of objects: where each kind keeps its pod spec, and what kind of life the pod leads. Objects may come from files or from a cluster.

import type { ObjectFact } from '../facts.ts'
import type { Path } from '../finding.ts'
import { asNumber, asRecord, asRecords, asText, asTexts, type Raw } from '../raw.ts'
import { valuesVersion } from '../sources/object-ref.ts'
import { findDaemons } from './daemon.ts'
import type { ContainerView, PodOwner, PodView } from './pod-view.ts'
import { viewContainers } from './pod-view-containers.ts'
import { findRunner } from './pod-view-runner.ts'

/** Where a kind keeps its pod template (metadata and spec). */
type Shape = { readonly owner: PodOwner; readonly template: Path }

const shapes: Readonly<Record<string, Shape>> = {
  '/Pod': { owner: 'Pod', template: [] },
  'batch/Job': { owner: 'Job', template: ['spec', 'template'] },
  'batch/CronJob': { owner: 'CronJob', template: ['spec', 'jobTemplate', 'spec', 'template'] },
  'keda.sh/ScaledJob': { owner: 'ScaledJob', template: ['spec', 'jobTargetRef', 'template'] },
  'apps/Deployment': { owner: 'service', template: ['spec', 'template'] },
  'apps/StatefulSet': { owner: 'service', template: ['spec', 'template'] },
  'apps/DaemonSet': { owner: 'service', template: ['spec', 'template'] },
  'apps/ReplicaSet': { owner: 'service', template: ['spec', 'template'] },
  '/ReplicationController': { owner: 'service', template: ['spec', 'template'] },
  'actions.github.com/AutoscalingRunnerSet': { owner: 'arc', template: ['spec', 'template'] },
  'actions.github.com/EphemeralRunnerSet': { owner: 'arc', template: ['spec', 'ephemeralRunnerSpec'] },
  'actions.github.com/EphemeralRunner': { owner: 'arc', template: ['spec'] },
  'dayfly.dev/RunnerSet': { owner: 'RunnerSet', template: ['spec', 'template'] },
  [`${valuesVersion}/Values`]: { owner: 'arc', template: ['template'] },
}

/** Objects without a pod spec, or of a kind whose pods we do not know, give none. */
export function viewPods(objects: readonly ObjectFact[]): PodView[] {
  return objects.flatMap((fact) => viewPod(fact) ?? [])
}

function viewPod(fact: ObjectFact): PodView | undefined {
  const { apiVersion, kind } = fact.object
  const group = apiVersion.includes('/')
    ? apiVersion.slice(0, apiVersion.indexOf('/'))
    : apiVersion === valuesVersion
      ? valuesVersion
      : ''
  const shape = shapes[`${group}/${kind}`]
  if (!shape) return undefined
  const template = at(fact.raw, shape.template)
  const spec = template && asRecord(template['spec'])
  if (!template || !spec) return undefined
  const path: Path = [...shape.template, 'spec']
  const containers = viewContainers(spec, path).filter((container) => !isReplaced(container, fact))
  const metadata = asRecord(template['metadata']) ?? {}
  const restartPolicy = asText(spec['restartPolicy'])
  const runner = findRunner(shape.owner, containers, asRecord(metadata['labels']) ?? {}, triggersOf(fact.raw))
  const pod = {
    object: fact.object,
    document: fact.document,
    owner: shape.owner,
    runsToCompletion:
      endsByItself(shape.owner, restartPolicy) &&
      !containers.some(isJenkinsAgent) &&
      !(shape.owner === 'Pod' && isNameless(fact)),
    ...runner,
    path,
    restartPolicy,
    terminationGracePeriodSeconds: asNumber(spec['terminationGracePeriodSeconds']),
    hostPID: spec['hostPID'] === true,
    shareProcessNamespace: spec['shareProcessNamespace'] === true,
    annotations: asTexts(metadata['annotations']),
    labels: asTexts(metadata['labels']),
    containers,
    volumes: viewVolumes(spec, path),
    raw: fact.raw,
    version: fact.version,
  }
  return { ...pod, daemons: findDaemons(pod) }
}

/** Of KEDA's ScaledJob. */
function triggersOf(raw: Raw): readonly unknown[] {
  return asRecords(asRecord(raw['spec'])?.['triggers']).map((each) => each?.['type'])
}

function endsByItself(owner: PodOwner, restartPolicy: string | undefined): boolean {
  if (owner === 'service') return false
  return owner !== 'Pod' || restartPolicy === 'Never' || restartPolicy === 'OnFailure'
}

/** Jenkins deletes the pods of its agents itself, whatever still runs in them. */
function isJenkinsAgent({ name, image }: ContainerView): boolean {
  return name === 'jnlp' || /(^|\/)jenkins\/(inbound-agent|jnlp-(slave|agent)[\w-]*)([:@]|$)/.test(image ?? '')
}

/** No API server takes it so: it is what a CI server (Jenkins' `yamlFile`) makes its agents' pods of, and deletes them itself. */
function isNameless({ object, raw }: ObjectFact): boolean {
  return object.name === '' && asRecord(raw['metadata'])?.['name'] === undefined
}

/** ARC's chart in its mode `dind` runs a Docker of its own, and takes no container of that name (its helper `non-runner-non-dind-containers`; the newest only its resources). */
function isReplaced({ name }: ContainerView, { object, raw }: ObjectFact): boolean {
  if (object.apiVersion !== valuesVersion || name !== 'dind') return false
  return asRecord(raw['containerMode'])?.['type'] === 'dind'
}

function viewVolumes(spec: Raw, path: Path): PodView['volumes'] {
  return asRecords(spec['volumes']).flatMap((raw, index) => {
    const name = raw && asText(raw['name'])
    return raw && name !== undefined ? [{ name, path: [...path, 'volumes', index], raw }] : []
  })
}

function at(value: Raw, path: Path): Raw | undefined {
  let here: Raw | undefined = value
  for (const key of path) here = here && asRecord(here[key])
  return here
}
