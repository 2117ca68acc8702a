// Carries out a confirmed takeover from ARC. No step ends a runner: ARC itself removes the idle ones and waits for those with a job.
import { textAt } from '@dayfly/kit/read-json'
import { runnerSets } from '../../resources.ts'
import { type Cluster, getOne, listAll } from '../read.ts'
import { kept, type Outcome, type StepResult, takeStep } from '../step-result.ts'
import { type Named, placeOf } from '../takeover/step.ts'
import {
  arcListeners,
  arcRunners,
  arcSets,
  doneAnnotation,
  finalizersOf,
  type Holder,
  holdersOf,
  holdFinalizer,
  idAnnotation,
  isListenerOf,
  listOfArc,
  noteAnnotation,
} from './gather.ts'
import type { ArcStep } from './step.ts'

type Result = StepResult<ArcStep>
type StepThat<Does> = Extract<ArcStep, { readonly does: Does }>

/** Milliseconds. A listener may take a minute to end; a controller connects within seconds; ARC looks again every 5 s. */
const patience = { listener: 150_000, connection: 60_000, rest: 45_000 } as const
const lookEveryMs = 500

/** Takes the steps of each set one after the other; the sets do not wait for each other. */
export async function performArcTakeover(
  cluster: Cluster,
  steps: readonly ArcStep[],
  report: (result: Result) => void,
): Promise<readonly Result[]> {
  const results = new Map<ArcStep, Result>()
  const places = new Set(steps.map(({ runnerSet }) => placeOf(runnerSet)))
  const takeAll = async (own: readonly ArcStep[]) => {
    let goesOn = true
    for (const step of own) {
      const outcome: Outcome = goesOn ? await takeStep(cluster.signal, () => act(cluster, step)) : notReached
      goesOn &&= outcome.is === 'done'
      results.set(step, { step, ...outcome })
      report({ step, ...outcome })
    }
  }
  await Promise.all([...places].map((place) => takeAll(steps.filter(({ runnerSet }) => placeOf(runnerSet) === place))))
  return steps.flatMap((step) => results.get(step) ?? [])
}

const notReached: Outcome = { is: 'skipped', why: 'the step before it is not done' }

function act(cluster: Cluster, step: ArcStep): Promise<Outcome> {
  switch (step.does) {
    case 'note':
      return writeNote(cluster, step)
    case 'hold':
      return hold(cluster, step)
    case 'delete':
      return deleteSet(cluster, step)
    case 'keep-scale-set':
      return keepScaleSet(cluster, step)
    case 'release':
      return release(cluster, step)
    case 'connect':
      return connect(cluster, step)
    case 'finish':
      return finish(cluster, step)
    case 'forget':
      return forget(cluster, step)
  }
}

async function writeNote(cluster: Cluster, { arc, runnerSet, scaleSetId, release }: StepThat<'note'>) {
  const note = { arc: { namespace: arc.namespace, name: arc.name }, scaleSetId, release }
  await annotate(cluster, runnerSet, { [noteAnnotation]: JSON.stringify(note) })
  return { is: 'done', why: 'the takeover goes on from here after a cut' } as const
}

type Annotations = Readonly<Record<string, string | null>>

async function annotate({ kubernetes, signal }: Cluster, runnerSet: Named, annotations: Annotations): Promise<void> {
  const body = { metadata: { annotations } }
  await kubernetes.patch(runnerSets, runnerSet, { type: 'merge', body }, { signal })
}

async function hold(cluster: Cluster, { arc }: StepThat<'hold'>): Promise<Outcome> {
  const holders = await holdersOf(cluster, arc)
  if (holders.length === 0) return kept('it has no listener and no EphemeralRunnerSet any more')
  for (const holder of holders) await setHold(cluster, holder, true)
  return { is: 'done', why: `${holders.length} objects have a finalizer of Dayfly` }
}

/** The resource version keeps a change of ARC's own finalizers. */
async function setHold({ kubernetes, signal, ...rest }: Cluster, holder: Holder, isHeld: boolean): Promise<void> {
  const now = await getOne({ kubernetes, signal, ...rest }, holder.resource, holder)
  if (now?.metadata.uid !== holder.uid) return
  const others = finalizersOf(now).filter((name) => name !== holdFinalizer)
  const finalizers = isHeld ? [...others, holdFinalizer] : others
  const { resourceVersion } = now.metadata
  const body = { metadata: { resourceVersion, finalizers } }
  await kubernetes.patch(holder.resource, holder, { type: 'merge', body }, { signal })
}

async function deleteSet(cluster: Cluster, { arc }: StepThat<'delete'>): Promise<Outcome> {
  const holders = await holdersOf(cluster, arc)
  if (holders.length === 0 || !holders.every(({ isHeld }) => isHeld))
    return kept('ARC has replaced an object that was held')
  const options = { preconditions: { uid: arc.uid }, propagationPolicy: 'Background', signal: cluster.signal } as const
  await cluster.kubernetes.delete(arcSets, arc, options)
  return { is: 'done', why: 'ARC begins to remove its objects' }
}

async function keepScaleSet(cluster: Cluster, { arc }: StepThat<'keep-scale-set'>): Promise<Outcome> {
  const now = await getOne(cluster, arcSets, arc)
  if (now?.metadata.uid !== arc.uid) return kept('it is gone, or is another one')
  // ARC gives the id back to a set that is not being deleted.
  if (now.metadata.deletionTimestamp === undefined) return kept('it is not being deleted')
  const body = { metadata: { annotations: { [idAnnotation]: null } } }
  await cluster.kubernetes.patch(arcSets, arc, { type: 'merge', body }, { signal: cluster.signal })
  return { is: 'done', why: 'the jobs that wait in it stay' }
}

async function release(cluster: Cluster, { arc }: StepThat<'release'>): Promise<Outcome> {
  const now = await getOne(cluster, arcSets, arc)
  const isDeleting = now?.metadata.uid === arc.uid && now.metadata.deletionTimestamp !== undefined
  if (isDeleting && now.metadata.annotations?.[idAnnotation] !== undefined)
    return kept('ARC still knows the id, and would delete the scale set')
  for (const holder of await holdersOf(cluster, arc)) if (holder.isHeld) await setHold(cluster, holder, false)
  return { is: 'done', why: 'ARC can remove them' }
}

async function connect(cluster: Cluster, { runnerSet, note }: StepThat<'connect'>): Promise<Outcome> {
  const { kubernetes, signal } = cluster
  const isOver = await waitFor(
    cluster,
    patience.listener,
    async () =>
      !(await listOfArc(cluster, arcListeners, undefined)).some((listener) => isListenerOf(listener, note.arc)),
  )
  if (!isOver) return kept(`ARC's listener did not end within ${patience.listener / 1_000} s`)
  // The ids of an earlier connection go.
  const forge = { account: '', scaleSetId: note.scaleSetId, creating: '', sessionId: '' }
  const body = { status: { forge } }
  await kubernetes.patch(runnerSets, runnerSet, { type: 'merge', body }, { subresource: 'status', signal })
  const isConnected = await waitFor(cluster, patience.connection, async () => {
    const now = await getOne(cluster, runnerSets, runnerSet)
    return (textAt(now, 'status', 'forge', 'sessionId') ?? '') !== ''
  })
  if (!isConnected)
    return kept(`it has not connected: see "dayfly explain ${runnerSet.name} -n ${runnerSet.namespace}"`)
  return { is: 'done', why: 'the jobs that wait get their runners now' }
}

async function finish(cluster: Cluster, { runnerSet, note }: StepThat<'finish'>): Promise<Outcome> {
  const isGone = await waitFor(
    cluster,
    patience.rest,
    async () =>
      !(await listOfArc(cluster, arcSets, note.arc.namespace)).some(({ metadata }) => metadata.name === note.arc.name),
  )
  if (!isGone) {
    const left = (await listAll(cluster, arcRunners, { namespace: note.arc.namespace })).length
    return kept(`ARC waits for its runners (${left} in the namespace). Their jobs go on: run the command again later`)
  }
  // The command is asked for this set again, and then knows that it is no mistyped name.
  await annotate(cluster, runnerSet, { [noteAnnotation]: null, [doneAnnotation]: placeOf(note.arc) })
  const { namespace } = note.arc
  const rest =
    note.release === undefined
      ? ''
      : `: "helm uninstall ${note.release} -n ${namespace}" removes the rest of the release`
  return { is: 'done', why: `ARC's set is gone${rest}` }
}

async function forget(cluster: Cluster, { runnerSet }: StepThat<'forget'>): Promise<Outcome> {
  await annotate(cluster, runnerSet, { [noteAnnotation]: null })
  return { is: 'done', why: 'ARC goes on with its runners and its jobs' }
}

/** Returns whether the condition came true in time. */
async function waitFor({ clock, signal }: Cluster, ms: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  for (const end = clock.now() + ms; ; await clock.sleep(lookEveryMs, signal)) {
    if (await isTrue()) return true
    if (clock.now() >= end) return false
  }
}
