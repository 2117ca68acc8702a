// Builds the pod views of objects from files or a cluster: finds the pod spec of each kind, and how the pod ends.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt, isJsonObject, type JsonObject, listAt, numberAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { valuesVersion } from '../chart-kinds.ts'
import type { ObjectFact } from '../facts.ts'
import type { ContainerView, PodOwner, PodView } from '../pod-view.ts'
import { labelsAt } from '../read/objects/labels.ts'
import { customTemplates } from './custom-templates.ts'
import { findDaemons } from './daemon.ts'
import { withMountedScripts } from './inline-scripts.ts'
import { type ConfigMaps, configMapsIn, mountedFiles } from './mounted-scripts.ts'
import { olderShapes, type Shape, viewOlderRunner } from './older-arc.ts'
import { viewContainers } from './pod-view-containers.ts'
import { findRunner } from './pod-view-runner.ts'

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
  ...olderShapes,
  'dayfly.dev/RunnerSet': { owner: 'RunnerSet', template: ['spec', 'template'] },
  [`${valuesVersion}/PodSpec`]: { owner: 'Pod', template: [] },
  [`${valuesVersion}/GARM`]: { owner: 'custom', template: ['podTemplate'] },
  [`${valuesVersion}/Values`]: { owner: 'arc', template: ['template'] },
}

/** Skips objects without a pod spec, and unknown kinds. */
export function viewPods(objects: readonly ObjectFact[]): PodView[] {
  const configMaps = configMapsIn(objects)
  return objects.flatMap((fact) => shapesOf(fact).flatMap((shape) => viewPod(fact, shape, configMaps) ?? []))
}

function shapesOf({ object: { apiVersion, kind }, raw }: ObjectFact): readonly Shape[] {
  const group = apiVersion.includes('/')
    ? apiVersion.slice(0, apiVersion.indexOf('/'))
    : apiVersion === valuesVersion
      ? valuesVersion
      : ''
  const name = `${group}/${kind}`
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
  return shape ? [shape] : customTemplates(group, raw).map((template) => ({ owner: 'custom', template }))
}

function viewPod(fact: ObjectFact, shape: Shape, configMaps: ConfigMaps): PodView | undefined {
  const isBare = fact.object.kind === 'PodSpec'
  const template = isBare ? {} : fieldsAt(fact.raw, ...shape.template)
  // Dayfly adds the spec of a template that has only metadata.
  const missing: JsonObject | undefined = shape.owner === 'RunnerSet' ? {} : undefined
  const spec = isBare ? fact.raw : template && (fieldsAt(template, 'spec') ?? missing)
  if (!template || !spec) return undefined
  const path: Path = isBare ? [] : [...shape.template, 'spec']
  const older = viewOlderRunner(fact, spec, path)
  const volumes = viewVolumes(spec, path)
  const fileAt = mountedFiles(volumes, fact.object.namespace, configMaps)
  const written = older ?? viewContainers(spec, path).filter((container) => !isReplaced(container, fact))
  const containers = written.map((container) => withMountedScripts(container, fileAt))
  const metadata = fieldsAt(template, 'metadata') ?? {}
  const isGarm = fact.object.apiVersion === valuesVersion && fact.object.kind === 'GARM'
  // GARM merges the template over a pod with Never.
  const restartPolicy = older ? 'Never' : (textAt(spec, 'restartPolicy') ?? (isGarm ? 'Never' : undefined))
  const runner = findRunner(shape.owner, containers, {
    labels: fieldsAt(metadata, 'labels') ?? {},
    triggers: triggersOf(fact.raw),
    hooks: textAt(fact.raw, 'metadata', 'annotations', 'helm.sh/hook') ?? '',
    isRunner: isGarm,
  })
  // Other programs store pod specs in strings, too: injected sidecars, templates. Nothing is known about the pods that they make.
  if (isBare && !runner.isRunner) return undefined
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
    terminationGracePeriodSeconds: numberAt(spec, 'terminationGracePeriodSeconds'),
    hostPID: spec['hostPID'] === true,
    shareProcessNamespace: spec['shareProcessNamespace'] === true,
    annotations: labelsAt(metadata, 'annotations'),
    labels: labelsAt(metadata, 'labels'),
    containers,
    volumes,
    raw: fact.raw,
    version: fact.version,
    delivery: fact.delivery,
  }
  return { ...pod, daemons: findDaemons(pod) }
}

/** Returns the triggers of KEDA's ScaledJob. */
function triggersOf(raw: JsonObject): readonly unknown[] {
  return listAt(raw, 'spec', 'triggers').map((each) => valueAt(each, 'type'))
}

function endsByItself(owner: PodOwner, restartPolicy: string | undefined): boolean {
  if (owner === 'service') return false
  return owner !== 'Pod' || restartPolicy === 'Never' || restartPolicy === 'OnFailure'
}

/** Jenkins deletes the pods of its agents itself, even while a container runs. */
function isJenkinsAgent({ name, image }: ContainerView): boolean {
  return name === 'jnlp' || /(^|\/)jenkins\/(inbound-agent|jnlp-(slave|agent)[\w-]*)([:@]|$)/.test(image ?? '')
}

/** No API server accepts a pod without a name. A CI server (Jenkins' `yamlFile`) makes its agents' pods from it, and deletes them itself. */
function isNameless({ object, raw }: ObjectFact): boolean {
  return object.name === '' && valueAt(raw, 'metadata', 'name') === undefined
}

/**
 * ARC's chart in its mode `dind` runs its own Docker and ignores a container with that name.
 * See the chart's helper `non-runner-non-dind-containers`; the newest version keeps only the container's resources.
 */
function isReplaced({ name }: ContainerView, { object, raw }: ObjectFact): boolean {
  if (object.apiVersion !== valuesVersion || name !== 'dind') return false
  return valueAt(raw, 'containerMode', 'type') === 'dind'
}

function viewVolumes(spec: JsonObject, path: Path): PodView['volumes'] {
  return listAt(spec, 'volumes').flatMap((raw, index) => {
    const name = textAt(raw, 'name')
    return isJsonObject(raw) && name !== undefined ? [{ name, path: [...path, 'volumes', index], raw }] : []
  })
}
