// S1: ARC counts runners that have no pod, because the API server refused it, dropped a field of it, or accepted a pod that hangs.
import type { Profile } from '@dayfly/cluster/api/api'
import { pods, runnerSets } from '@dayfly/controller/resources'
import { fieldsAt, listAt, textAt } from '@dayfly/kit/read-json'
import { externalsContainer } from '@dayfly/runner-set/core/runner-externals'
import { parse } from 'yaml'
import { type ArcCounts, arcKind, defineArc, runArc } from '../arc-model.ts'
import { dayflyNamespace, startDayfly } from '../dayfly.ts'
import { fixText } from '../doctor.ts'
import { createSet, queueJobs } from '../github-set.ts'
import { type GitHubWorld, openGitHub } from '../github-world.ts'
import type { Bench, Incident } from '../incident.ts'
import { tableOf } from '../kubectl.ts'
import { create, find, listIn, quotas } from '../objects.ts'
import { note } from '../seen.ts'
import type { World } from '../world.ts'

const minute = 60_000
const wanted = 5
const file = 'runner-set.yaml'
const ci = 'ci'

/** The article's set: Docker as an init container that restarts on failure. */
const podSpec = `      initContainers:
        - name: dind
          image: docker:dind
          restartPolicy: OnFailure
          securityContext: { privileged: true }
          volumeMounts:
            - { name: dind-sock, mountPath: /var/run }
      containers:
        - name: runner
          image: ghcr.io/actions/actions-runner:2.329.0
          command: [/home/runner/run.sh]
          env:
            - { name: DOCKER_HOST, value: "unix:///var/run/docker.sock" }
          volumeMounts:
            - { name: dind-sock, mountPath: /var/run }
      volumes:
        - name: dind-sock
          emptyDir: {}
`

const arcSet = `apiVersion: actions.github.com/v1alpha1
kind: AutoscalingRunnerSet
metadata:
  name: builds
spec:
  githubConfigUrl: https://github.com/example
  githubConfigSecret: builds
  minRunners: ${wanted}
  template:
    spec:
${podSpec}`

type Case = {
  readonly profile: Profile
  /** The API server's answer to the pod. */
  readonly is: 'rejected' | 'dropped' | 'accepted' | 'over quota'
}

export const silentRejection: Incident = {
  id: 'silent-rejection',
  code: 'S1',
  title: 'ARC counts runners, and the cluster has no pod that works',
  why: [
    'The schema of an ARC set does not look into its pod template, so the API server accepts any set. It checks only the pod, which ARC makes later.',
    'Kubernetes 1.29 to 1.33 refuse restartPolicy OnFailure on an init container. 1.34 drops the field silently. 1.35 and later accept it. A Docker daemon then blocks the pod as a plain init container.',
    'ARC writes the reason into the status of one EphemeralRunner and no Event. It counts its own objects, so a runner without a pod uses up a slot.',
    'Before Dayfly registers a runner, it asks the API server for a dry run of the pod. It compares the answer with the template, and checks the template by its own rules. The set shows the reason.',
  ],
  models: [
    "ARC's controller is a model: it makes one pod for each runner, and counts its own objects. A rejected pod makes its runner Failed. ARC asks again every 30 s for a pod over quota.",
    'GitHub is the emulator of Dayfly. The controller of Dayfly is the one that is installed on a real cluster.',
  ],
  sources: [
    'https://github.com/actions/actions-runner-controller/issues/3581',
    'https://github.com/kubernetes/enhancements/issues/5307',
    'https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/',
  ],
  look: 'kubectl -n ci get autoscalingrunnersets,ephemeralrunners,pods; kubectl -n dayfly get runnersets',
  run: async (bench) => {
    for (const profile of profilesOf(bench)) await showCase(bench, { profile, is: fateOn(profile) })
    await showCase(bench, { profile: bench.profile, is: 'over quota' })
    await showFix(bench)
  },
}

function podSpecOf(manifest: string): object {
  return fieldsAt(parse(manifest), 'spec', 'template', 'spec') ?? {}
}

const words: Readonly<Record<Case['is'], string>> = {
  rejected: 'the pod is rejected',
  dropped: 'the field is dropped',
  accepted: 'the pod is accepted as it is',
  'over quota': 'the pod exceeds a quota',
}

/** The three answers of Kubernetes, and the version that the operator asks for. */
function profilesOf({ profile }: Bench): readonly Profile[] {
  return [...new Set<Profile>(['1.33', '1.34', '1.36', profile])]
}

/** The field is refused up to 1.33, dropped by 1.34, and known from 1.35 on (docs/reference/kubernetes.md#s1-2). */
function fateOn(profile: Profile): 'rejected' | 'dropped' | 'accepted' {
  const minor = Number(profile.slice(2))
  return minor < 34 ? 'rejected' : minor === 34 ? 'dropped' : 'accepted'
}

type Site = { readonly world: World; readonly forge: GitHubWorld }

async function open(bench: Bench, profile: Profile, stays: boolean): Promise<Site> {
  const { clock, open } = bench.begin()
  const forge = openGitHub(clock)
  const scripts = {
    runner: forge.runner,
    dind: { exec: () => ({ exitCode: 0 }) },
    docker: {},
    [externalsContainer]: { endsAfterMs: 1_000 },
  }
  const world = await open({ profile, scripts, namespaces: [ci], ...(stays ? { stays: true } : {}) })
  return { world, forge }
}

/** ARC and Dayfly with the same template on the same cluster. */
async function showCase(bench: Bench, { profile, is }: Case): Promise<void> {
  const { notebook } = bench
  const stays = profile === bench.profile && is !== 'over quota'
  // The quota refuses a pod that is right in every other way.
  const manifest = is === 'over quota' ? fixText(file, arcSet, profile).text : arcSet
  const { world, forge } = await open(bench, profile, stays)
  await defineArc(world)
  if (is === 'over quota') await limitPods(world, ci)
  const counts = await runArc(world, ci, manifest, 5 * minute)
  const made = await listIn(world, pods, ci)
  note(notebook, world, 'incident', {
    claim: `${profile}, ${words[is]}: ${sentenceOf(is, counts)}`,
    command: `kubectl -n ${ci} get autoscalingrunnersets,pods`,
    output: [...(await tableOf(world, arcKind('autoscalingrunnersets'), ci)), ...(await tableOf(world, pods, ci))],
    holds: isSilent(is, counts, made),
  })
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  if (is === 'over quota') await limitPods(world, dayflyNamespace)
  await createSet(world, forge, { scale: { max: wanted }, template: { spec: podSpecOf(manifest) } })
  queueJobs(forge, wanted, 30_000)
  await world.linger(2 * minute)
  const set = await find(world, runnerSets, { namespace: dayflyNamespace, name: 'builds' })
  const reasons = listAt(set, 'status', 'conditions').flatMap((condition) => {
    const message = textAt(condition, 'message') ?? ''
    return textAt(condition, 'type') === 'Ready' && /restartPolicy|quota/.test(message)
      ? [`${textAt(condition, 'type')}: ${textAt(condition, 'reason')}: ${message}`]
      : []
  })
  const started = await listIn(world, pods, dayflyNamespace)
  const registered = forge.emulator.control.registrations().length
  note(notebook, world, 'remedy', {
    claim: `${profile}, ${words[is]}, Dayfly with the same template: no runner holds a slot, and the set says why.`,
    command: `kubectl -n ${dayflyNamespace} get runnersets`,
    output: [...(await tableOf(world, runnerSets, dayflyNamespace)), ...reasons],
    holds: reasons.length > 0 && registered === 0 && started.length === 0,
  })
  if (!stays) await dayfly.stop()
}

function sentenceOf(is: Case['is'], { current, pending, failed }: ArcCounts): string {
  const counted = `ARC counts ${current} runners (${pending} pending, ${failed} failed)`
  if (is === 'rejected') return `${counted}, and no pod exists.`
  if (is === 'over quota') return `${counted}, and no pod exists.`
  return `${counted}. The pods exist, and none of them ever starts its runner.`
}

/** Whether ARC counts every runner although none can work. */
function isSilent(is: Case['is'], counts: ArcCounts, pods: readonly object[]): boolean {
  if (counts.current !== wanted || counts.running !== 0) return false
  if (is === 'rejected') return pods.length === 0 && counts.failed === wanted
  if (is === 'over quota') return pods.length === 0 && counts.pending === wanted
  const blocked = pods.filter((pod) =>
    listAt(pod, 'status', 'initContainerStatuses').some((status) => fieldsAt(status, 'state', 'running') !== undefined),
  )
  return blocked.length === wanted && counts.pending === wanted
}

async function limitPods(world: World, namespace: string): Promise<void> {
  const spec = { hard: { pods: '0' } }
  await create(world, quotas, { metadata: { name: 'pods', namespace }, spec })
}

/** The doctor's fix of ARC's set on every version, and Dayfly's own Docker. */
async function showFix(bench: Bench): Promise<void> {
  const fixed = fixText(file, arcSet, bench.profile)
  for (const profile of profilesOf(bench)) {
    const { world } = await open(bench, profile, false)
    await defineArc(world)
    const counts = await runArc(world, ci, fixed.text, 2 * minute)
    note(bench.notebook, world, 'remedy', {
      claim: `${profile}, after the fix of the doctor every runner of ARC has a pod that works.`,
      command: `dayfly doctor --kubernetes-version ${bench.profile} --fix=unsafe ${file}`,
      output: [...fixed.fixes, ...(await tableOf(world, arcKind('autoscalingrunnersets'), ci))],
      holds: counts.running === wanted && counts.failed + counts.pending === 0,
    })
  }
  const { world, forge } = await open(bench, bench.profile, false)
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  await createSet(world, forge, { scale: { max: wanted }, docker: 'sidecar' })
  const jobs = queueJobs(forge, wanted, 30_000)
  const succeeded = () => jobs.filter((id) => forge.emulator.control.job(id)?.result === 'succeeded').length
  await world.pass(3 * minute, () => succeeded() === wanted)
  const passed = succeeded()
  note(bench.notebook, world, 'remedy', {
    claim: `A RunnerSet with docker: sidecar runs the ${wanted} jobs: ${passed} passed.`,
    command: `kubectl -n ${dayflyNamespace} get runnersets`,
    output: await tableOf(world, runnerSets, dayflyNamespace),
    holds: passed === wanted,
  })
  await dayfly.stop()
}
