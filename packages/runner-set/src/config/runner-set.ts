// Reads a RunnerSet document, from the API server or from a file.
import { assert } from '@dayfly/kit/assert'
import { isTimeZone } from '@dayfly/kit/local-time'
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { PoolPart } from '../model/pool.ts'
import { runnerContainer } from '../model/runner-names.ts'
import {
  defaultEngine,
  defaultJobPods,
  type ForgeKind,
  type ForgeSource,
  type RunnerSet,
  type SetSize,
} from '../model/runner-set.ts'
import type { ScheduleWindow } from '../model/schedule.ts'
import { milliseconds } from './duration.ts'
import { fieldWords } from './field-words.ts'
import { pool as poolSchema } from './pool-schema.ts'
import { brokenRelations, isClearText } from './relations.ts'
import { nameLengthMax, type RunnerSetSpec, runnerSetSpecSchema } from './spec-schema.ts'

/** The image of the official runner's own default labels. */
const defaultJobImage = 'docker.gitea.com/runner-images:ubuntu-latest'

type ScheduleWindowSpec = NonNullable<RunnerSetSpec['scale']['schedule']>[number]

type RunnerSetProblem = { readonly path: string; readonly sentence: string }

export type ParsedRunnerSet =
  | { readonly ok: true; readonly set: RunnerSet }
  | {
      readonly ok: false
      readonly problems: readonly RunnerSetProblem[]
      /** Undefined if the set has none, or it cannot be read either. */
      readonly pool: PoolPart | undefined
    }

type Metadata = {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly generation?: number
}

/** Parses a RunnerSet object from the API server or a file. */
export function parseRunnerSet(object: { readonly metadata: Metadata; readonly spec?: unknown }): ParsedRunnerSet {
  const parsed = runnerSetSpecSchema.safeParse(object.spec, { error: fieldWords })
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({
      path: ['spec', ...issue.path].join('.'),
      sentence: issue.message,
    }))
    return { ok: false, problems, pool: poolOfUnread(object.spec) }
  }
  const problems = [
    ...nameProblems(object.metadata),
    ...brokenRelations(parsed.data),
    ...zoneProblems(parsed.data.scale),
    ...containerProblems(parsed.data.template?.spec),
    ...sizeProblems(object.metadata, parsed.data),
  ]
  if (problems.length > 0) return { ok: false, problems, pool: poolOfUnread(object.spec) }
  return { ok: true, set: readSet(object.metadata, parsed.data) }
}

/** A set that cannot be read still takes places of its pool. A paused one keeps none free. */
function poolOfUnread(spec: unknown): PoolPart | undefined {
  const { paused, scale } = Object(spec)
  const { pool, min, max } = Object(scale)
  const { data } = poolSchema.safeParse(pool)
  if (!data) return undefined
  const usual = Number.isInteger(min) && min > 0 ? Number(min) : 0
  return { ...data, floor: paused === true || max === 0 ? 0 : (data.floor ?? usual) }
}

/** Sizes are sets with a name each. A size without a place of its own needs one that the others do not keep. */
function sizeProblems({ name }: Metadata, { sizes = [], scale }: RunnerSetSpec): readonly RunnerSetProblem[] {
  const names = sizes.map((size) => setOfSize(name, size))
  const problems = names.flatMap((set, at) => {
    if (set.length > nameLengthMax) return [`the name ${set} may not be longer than ${nameLengthMax} characters`]
    const isTaken = set === name || names.indexOf(set) !== at
    return isTaken ? [`two sets would have the name ${set}: set another name with set`] : []
  })
  const floors = sizes.map(({ min, floor = min }) => floor)
  const kept = floors.reduce((sum, floor) => sum + floor, 0)
  if (scale.max > 0 && (kept > scale.max || (kept === scale.max && floors.includes(0)))) {
    problems.push(
      `the floors keep ${kept} places of ${scale.max}, so a size gets none: lower a floor or raise scale.max`,
    )
  }
  for (const { name: size, min, max = scale.max, floor = min } of sizes) {
    const most = Math.min(max, scale.max)
    if (scale.max > 0 && Math.max(min, floor) > most) problems.push(`min or floor of ${size} is above its max, ${most}`)
  }
  return problems.map((sentence) => ({ path: 'spec.sizes', sentence }))
}

function setOfSize(parent: string, { name, set }: Pick<Sizes[number], 'name' | 'set'>): string {
  return set ?? `${parent}-${name}`
}

type Sizes = NonNullable<RunnerSetSpec['sizes']>

function readSizes(parent: string, sizes: Sizes): readonly SetSize[] {
  return sizes.map((size) => {
    const { name, adopt, labels = [], resources, template, min, schedule, max, floor = min, weight } = size
    const patch = template as SetSize['template']
    return {
      name,
      set: setOfSize(parent, size),
      adopt,
      labels,
      resources,
      template: patch,
      min,
      schedule,
      max,
      floor,
      weight,
    }
  })
}

/** The name is the value of a label on each pod. */
function nameProblems({ name }: Metadata): readonly RunnerSetProblem[] {
  if (name.length <= nameLengthMax) return []
  return [{ path: 'metadata.name', sentence: `the name may not be longer than ${nameLengthMax} characters` }]
}

/** A template with containers of its own names the runner, or the default runner would start beside them unseen. */
function containerProblems(spec: Readonly<Record<string, unknown>> | undefined): readonly RunnerSetProblem[] {
  const containers = listAt(spec, 'containers')
  if (containers.length === 0 || containers.some((one) => textAt(one, 'name') === runnerContainer)) return []
  const likely = containers.find((one) => textAt(one, 'image')?.includes('runner')) ?? containers[0]
  const name = textAt(likely, 'name')
  const next = name === undefined ? 'Name one of them' : `If "${name}" is the runner, rename it to`
  const sentence = `no container is named "${runnerContainer}", so a second, default runner would start beside these. ${next} "${runnerContainer}"`
  return [{ path: 'spec.template.spec.containers', sentence }]
}

function readSet(metadata: Metadata, spec: RunnerSetSpec): RunnerSet {
  const { name, namespace = 'default', uid = '', generation = 1 } = metadata
  return {
    name,
    namespace,
    uid,
    generation,
    source: readSource(name, spec),
    network: readNetwork(spec),
    scale: readScale(spec.scale),
    paused: spec.paused,
    docker: spec.docker,
    dockerEngine: readEngine(spec.dockerEngine),
    jobs: spec.jobs,
    jobPods: readJobPods(spec.jobPods),
    templateChecks: spec.templateChecks,
    keepFinishedMs: milliseconds(spec.keepFinished),
    keepFailedMs: milliseconds(spec.keepFailed),
    startMaxMs: milliseconds(spec.startMax),
    idleMaxMs: idleMaxOf(spec),
    lifeMaxMs: spec.lifeMax === undefined ? undefined : milliseconds(spec.lifeMax),
    queueTimeMs: spec.objective === undefined ? undefined : milliseconds(spec.objective.queueTime),
    template: (spec.template ?? {}) as RunnerSet['template'],
    ...(spec.sizes && { sizes: readSizes(name, spec.sizes) }),
  }
}

/** A job needs time before the bound of its runner's life. So an idle runner is replaced at half of it, or earlier if the set says so. */
function idleMaxOf({ idleMax, lifeMax }: RunnerSetSpec): number | undefined {
  const idleMs = idleMax === undefined ? undefined : milliseconds(idleMax)
  const lifeMs = lifeMax === undefined ? undefined : milliseconds(lifeMax)
  if (lifeMs === undefined) return idleMs
  return idleMs !== undefined && idleMs < lifeMs ? idleMs : lifeMs / 2
}

function readEngine(engine: RunnerSetSpec['dockerEngine']): RunnerSet['dockerEngine'] {
  if (!engine) return defaultEngine
  const { mirror, insecureRegistries, storage } = engine
  return { mirror, insecureRegistries, storage: { size: storage.size, storageClass: storage.class } }
}

function readJobPods(jobPods: RunnerSetSpec['jobPods']): RunnerSet['jobPods'] {
  if (!jobPods) return defaultJobPods
  const { serviceAccount, work, template } = jobPods
  const { size, class: storageClass, accessMode } = work ?? {}
  return {
    serviceAccount,
    work: size === undefined || accessMode === undefined ? undefined : { size, storageClass, accessMode },
    template,
  }
}

function readNetwork({ github, bitbucket, gitea, runner }: RunnerSetSpec): RunnerSet['network'] {
  const { proxy, ca } = { ...(runner?.inherit === false ? {} : (github ?? bitbucket ?? gitea)), ...runner }
  return { proxy: proxy && readProxy(proxy), ca: ca && readCa(ca) }
}

function readScale({
  min,
  max,
  percentageRunnersIdle,
  schedule,
  usualDemand,
  pool,
}: RunnerSetSpec['scale']): RunnerSet['scale'] {
  const limits = {
    min,
    max,
    ...(usualDemand && { usualDemand }),
    ...(schedule ? { schedule: schedule.map(readWindow) } : {}),
    ...(pool && { pool: { ...pool, floor: pool.floor ?? min } }),
  }
  if (!percentageRunnersIdle) return limits
  const { coolDown, ...percentage } = percentageRunnersIdle
  return { ...limits, percentage: { ...percentage, coolDownMs: milliseconds(coolDown) } }
}

function readWindow({ name, from, to, ...rest }: ScheduleWindowSpec): ScheduleWindow {
  return { ...rest, name, from: minutesOf(from), to: minutesOf(to) }
}

/** Returns the minutes after midnight. */
function minutesOf(timeOfDay: string): number {
  const [hours, minutes] = timeOfDay.split(':').map(Number)
  return (hours ?? 0) * 60 + (minutes ?? 0)
}

/** Only this process knows which zones it knows: the API server checks the form of the name. */
function zoneProblems({ schedule = [], usualDemand }: RunnerSetSpec['scale']): readonly RunnerSetProblem[] {
  const zones = [
    ...schedule.map(({ timeZone }, index) => ({ timeZone, field: `schedule.${index}` })),
    ...(usualDemand ? [{ timeZone: usualDemand.timeZone, field: 'usualDemand' }] : []),
  ]
  return zones.flatMap(({ timeZone, field }) => {
    if (isTimeZone(timeZone)) return []
    const sentence = `no time zone is named "${timeZone}": write a name such as Europe/Berlin or UTC`
    return [{ path: `spec.scale.${field}.timeZone`, sentence }]
  })
}

function readSource(name: string, { github, bitbucket, gitea, docker }: RunnerSetSpec): ForgeSource {
  if (bitbucket) {
    return { kind: 'bitbucket', ...readWay(bitbucket), runnerGroup: undefined, labels: bitbucket.labels ?? [] }
  }
  if (gitea) {
    return {
      kind: 'gitea',
      ...readWay(gitea),
      runnerGroup: undefined,
      labels: withName(name, gitea.labels),
      ...(docker === 'none' ? {} : { jobImage: gitea.jobImage ?? defaultJobImage }),
    }
  }
  assert(github !== undefined, 'a relation requires exactly one forge')
  const { runnerGroup, labels, rerun } = github
  return {
    kind: 'github',
    ...readWay(github),
    runnerGroup,
    labels: withName(name, labels),
    ...(rerun ? { rerun } : {}),
  }
}

/** The name of the set is a label, too. */
function withName(name: string, labels: readonly string[] = []): readonly string[] {
  return [name, ...labels.filter((label) => label !== name)]
}

function readWay({ url, plainHttp, credentials, proxy, ca }: NonNullable<RunnerSetSpec[ForgeKind]>) {
  return {
    url,
    ...(plainHttp && isClearText(url) ? { plainHttp: true } : {}),
    credentialsSecret: credentials.secret,
    proxy: proxy && readProxy(proxy),
    ca: ca && readCa(ca),
  }
}

function readProxy({ url, credentials, noProxy = [] }: NonNullable<NonNullable<RunnerSetSpec['runner']>['proxy']>) {
  return { url, credentialsSecret: credentials?.secret, noProxy }
}

function readCa({ configMap, secret, key }: NonNullable<NonNullable<RunnerSetSpec['runner']>['ca']>) {
  if (configMap !== undefined) return { kind: 'config-map', name: configMap, key } as const
  assert(secret !== undefined, 'a relation requires exactly one of configMap and secret')
  return { kind: 'secret', name: secret, key } as const
}
