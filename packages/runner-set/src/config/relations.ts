// The relations between fields of a RunnerSet. The API server evaluates them as rules (CEL), and the controller again: an older definition may lack some.
import { forgeTraits } from '../model/forge-traits.ts'
import type { ForgeKind } from '../model/runner-set.ts'
import { milliseconds } from './duration.ts'
import type { RunnerSetSpec } from './spec-schema.ts'

export type Relation = {
  /** The path below the object to the level whose rule this is. */
  readonly level: readonly string[]
  /** The CEL expression. `self` is the value at the level. */
  readonly rule: string
  /** The path from the level to the field that a problem names. */
  readonly fieldPath?: string
  readonly message: string
  /** Says the same as `rule`. Absent for a rule that compares with the old object, which the controller does not have. */
  readonly holds?: (spec: RunnerSetSpec) => boolean
}

/** RE2 and JavaScript read both in the same way. A forge is also reached with slashes before its URL. */
const plainHttp = '^/*[hH][tT][tT][pP]:'
/** The names and addresses of the machine itself, before a port or a path: nothing there leaves it. */
const ownMachine =
  '^/*[hH][tT][tT][pP]://([a-zA-Z0-9-]+[.])*(localhost|127[.][0-9]+[.][0-9]+[.][0-9]+|[[]::1])(:[0-9]+)?(/|$)'

/** Returns whether requests to this URL go over a network in clear text. */
export function isClearText(url: string): boolean {
  return new RegExp(plainHttp).test(url) && !new RegExp(ownMachine).test(url)
}

const forges = Object.keys(forgeTraits) as readonly ForgeKind[]

const hour = 3_600_000
const keepMax = { keepFinished: 24, keepFailed: 168 } as const

export const relations: readonly Relation[] = [
  {
    level: ['spec'],
    rule: forges
      .map((forge) => `(has(self.${forge}) ? 1 : 0)`)
      .join(' + ')
      .concat(' == 1'),
    message: `set exactly one forge: ${forges.join(', ')}`,
    holds: (spec) => forges.filter((forge) => spec[forge] !== undefined).length === 1,
  },
  {
    level: ['spec'],
    rule: forges.map((forge) => `has(self.${forge}) == has(oldSelf.${forge})`).join(' && '),
    message: 'the forge cannot change, because runners are registered there: delete the set and create it again',
  },
  {
    level: ['spec'],
    rule: '!has(self.bitbucket) || self.scale.min > 0 || self.scale.max == 0',
    fieldPath: '.scale.min',
    message: 'Bitbucket fails a step without an online runner: set min to at least 1, or max to 0',
    holds: ({ bitbucket, scale }) => !bitbucket || scale.min > 0 || scale.max === 0,
  },
  {
    level: ['spec'],
    rule: '!has(self.scale.percentageRunnersIdle) || has(self.bitbucket)',
    fieldPath: '.scale.percentageRunnersIdle',
    message: 'only Bitbucket has this strategy: remove it, the other forges report their demand',
    holds: ({ bitbucket, scale }) => !scale.percentageRunnersIdle || bitbucket !== undefined,
  },
  {
    level: ['spec', 'scale'],
    rule: 'self.min <= self.max',
    fieldPath: '.min',
    message: 'min is above max: lower min or raise max',
    holds: ({ scale }) => scale.min <= scale.max,
  },
  {
    level: ['spec', 'scale'],
    rule: '!has(self.schedule) || self.schedule.all(window, window.min <= self.max)',
    fieldPath: '.schedule',
    message: 'the min of a window is above max: lower it or raise max',
    holds: ({ scale }) => scale.schedule?.every(({ min }) => min <= scale.max) ?? true,
  },
  {
    level: ['spec'],
    rule: '!has(self.bitbucket) || !has(self.scale.schedule) || self.scale.max == 0 || self.scale.schedule.all(window, window.min > 0)',
    fieldPath: '.scale.schedule',
    message: 'Bitbucket fails a step without an online runner: set the min of each window to at least 1',
    holds: ({ bitbucket, scale }) =>
      !bitbucket || scale.max === 0 || (scale.schedule?.every(({ min }) => min > 0) ?? true),
  },
  {
    level: ['spec', 'scale'],
    rule: '!has(self.usualDemand) || !has(self.percentageRunnersIdle)',
    fieldPath: '.usualDemand',
    message: 'percentageRunnersIdle decides by itself how many runners there are: remove one of both',
    holds: ({ scale }) => !scale.usualDemand || !scale.percentageRunnersIdle,
  },
  {
    level: ['spec'],
    rule: 'has(self.sizes) == has(oldSelf.sizes)',
    message:
      'sizes cannot be added to a set or taken from it, because its runners would have no set: create another one',
  },
  {
    level: ['spec'],
    rule: '!has(self.sizes) || !has(self.bitbucket)',
    fieldPath: '.sizes',
    message: 'sizes are only for GitHub and Gitea: write a set for each size',
    holds: ({ sizes, bitbucket }) => !sizes || !bitbucket,
  },
  {
    level: ['spec'],
    rule: '!has(self.sizes) || ((!has(self.scale.min) || self.scale.min == 0) && !has(self.scale.schedule) && !has(self.scale.usualDemand) && !has(self.scale.pool))',
    fieldPath: '.scale',
    message:
      'with sizes, min and schedule are fields of each size, and the sizes are a pool: remove min, schedule, usualDemand and pool',
    holds: ({ sizes, scale }) => !sizes || (scale.min === 0 && !scale.schedule && !scale.usualDemand && !scale.pool),
  },
  {
    level: ['spec', 'scale'],
    rule: '!has(self.pool) || (has(self.pool.floor) ? self.pool.floor : self.min) <= (self.max < self.pool.max ? self.max : self.pool.max)',
    fieldPath: '.pool.floor',
    message: 'the floor is above max, of the set or of the pool: lower the floor (without one, it is min)',
    holds: ({ scale: { min, max, pool } }) => !pool || (pool.floor ?? min) <= Math.min(max, pool.max),
  },
  {
    level: ['spec'],
    rule: "!has(self.dockerEngine) || (has(self.docker) && self.docker != 'none')",
    fieldPath: '.dockerEngine',
    message: 'this set has no Docker Engine: set docker: sidecar or rootless, or remove dockerEngine',
    holds: ({ docker, dockerEngine }) => dockerEngine === undefined || docker !== 'none',
  },
  {
    level: ['spec'],
    rule: "!has(self.jobs) || self.jobs == 'host' || has(self.github)",
    fieldPath: '.jobs',
    message: 'only the runner of GitHub can run jobs in pods: remove jobs',
    holds: ({ jobs, github }) => jobs === 'host' || github !== undefined,
  },
  {
    level: ['spec'],
    rule: "!has(self.jobPods) || (has(self.jobs) && self.jobs == 'pods')",
    fieldPath: '.jobPods',
    message: 'jobs of this set run in no pods of their own: set jobs: pods, or remove jobPods',
    holds: ({ jobs, jobPods }) => jobPods === undefined || jobs === 'pods',
  },
  {
    level: ['spec'],
    rule: "!has(self.gitea) || !has(self.gitea.jobImage) || (has(self.docker) && self.docker != 'none')",
    fieldPath: '.gitea.jobImage',
    message: 'jobs run in an image only with a Docker Engine: set docker: sidecar or rootless, or remove jobImage',
    holds: ({ gitea, docker }) => gitea?.jobImage === undefined || docker !== 'none',
  },
  ...forges.flatMap(relationsOfForge),
  oneSource('runner'),
  keptAtMost('keepFinished'),
  keptAtMost('keepFailed'),
  {
    level: ['spec', 'startMax'],
    rule: "duration(self) > duration('0s')",
    message: 'the duration must be longer than 0s',
    holds: ({ startMax }) => milliseconds(startMax) > 0,
  },
  {
    level: ['spec', 'idleMax'],
    rule: "duration(self) > duration('0s')",
    message: 'the duration must be longer than 0s',
    holds: ({ idleMax }) => idleMax === undefined || milliseconds(idleMax) > 0,
  },
  {
    level: ['spec', 'lifeMax'],
    rule: "duration(self) > duration('0s')",
    message: 'the duration must be longer than 0s',
    holds: ({ lifeMax }) => lifeMax === undefined || milliseconds(lifeMax) > 0,
  },
  {
    level: ['spec', 'objective', 'queueTime'],
    rule: "duration(self) > duration('0s')",
    message: 'the duration must be longer than 0s',
    holds: ({ objective }) => objective === undefined || milliseconds(objective.queueTime) > 0,
  },
]

function relationsOfForge(forge: ForgeKind): readonly Relation[] {
  return [
    {
      level: ['spec', forge, 'url'],
      rule: 'self == oldSelf',
      message: 'the URL cannot change, because runners are registered there: delete the set and create it again',
    },
    {
      level: ['spec', forge],
      rule: `!self.url.matches('${plainHttp}') || self.url.matches('${ownMachine}') || (has(self.plainHttp) && self.plainHttp)`,
      fieldPath: '.url',
      message:
        'http:// would send the credentials in clear text: use https://, or set plainHttp: true for a closed network',
      holds: ({ [forge]: source }) => !source || source.plainHttp === true || !isClearText(source.url),
    },
    oneSource(forge),
  ]
}

function oneSource(section: ForgeKind | 'runner'): Relation {
  return {
    level: ['spec', section, 'ca'],
    rule: 'has(self.configMap) != has(self.secret)',
    message: 'set exactly one of configMap and secret',
    holds: ({ [section]: source }) =>
      !source?.ca || (source.ca.configMap === undefined) !== (source.ca.secret === undefined),
  }
}

function keptAtMost(field: 'keepFinished' | 'keepFailed'): Relation {
  const hours = keepMax[field]
  return {
    level: ['spec', field],
    rule: `duration(self) <= duration('${hours}h')`,
    message: `the duration may not be longer than ${hours}h`,
    holds: (spec) => milliseconds(spec[field]) <= hours * hour,
  }
}

/** Returns the relations that a document does not keep. */
export function brokenRelations(spec: RunnerSetSpec): readonly { readonly path: string; readonly sentence: string }[] {
  return relations
    .filter(({ holds }) => holds?.(spec) === false)
    .map(({ level, fieldPath = '', message }) => ({ path: `${level.join('.')}${fieldPath}`, sentence: message }))
}
