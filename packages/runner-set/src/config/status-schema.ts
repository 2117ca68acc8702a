// The schema of a RunnerSet's status: the conventions of the Kubernetes API for conditions, and counts that may be unknown.
import { problemKinds } from '../model/status.ts'
import { rerunStatus } from './rerun-schemas.ts'

const count = (description: string) => ({ type: 'integer', format: 'int32', nullable: true, description })
const text = (description: string) => ({ type: 'string', nullable: true, description })

const condition = {
  type: 'object',
  required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  properties: {
    type: {
      type: 'string',
      maxLength: 316,
      description: 'Ready, TemplateAccepted, ForgeConnected, RunnerVersionSupported, Degraded, Reconciling or Stalled.',
    },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: 'The state of the condition.' },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that the condition is about.',
    },
    lastTransitionTime: { type: 'string', format: 'date-time', description: 'When the status last changed.' },
    reason: { type: 'string', maxLength: 1024, description: 'The reason in one word.' },
    message: { type: 'string', maxLength: 32_768, description: 'What was observed, and the next step.' },
  },
}

const problem = {
  type: 'object',
  required: ['kind', 'reason', 'detail'],
  properties: {
    kind: {
      type: 'string',
      enum: problemKinds,
      description: 'The part of the set: its template, forge, forge settings, or its runners.',
    },
    reason: { type: 'string', maxLength: 253, description: 'The reason, as the table of failures names it.' },
    detail: { type: 'string', maxLength: 32_768, description: 'What was observed.' },
  },
}

const job = {
  type: 'object',
  required: ['id', 'name', 'repository', 'runner', 'startedAt'],
  properties: {
    id: { type: 'string', maxLength: 1024, description: 'The id of the job at the forge.' },
    name: { type: 'string', maxLength: 1024, description: 'The name of the job.' },
    repository: { type: 'string', maxLength: 1024, description: 'The repository of the job.' },
    run: { type: 'string', maxLength: 253, description: 'The id of its run at the forge.' },
    runner: { type: 'string', maxLength: 253, description: 'The runner that took it, by the name of its pod.' },
    startedAt: { type: 'string', format: 'date-time', description: 'When the runner took it.' },
    result: text('The result at the forge. Null while the job runs.'),
    finishedAt: { type: 'string', format: 'date-time', nullable: true, description: 'When the job ended.' },
  },
}

const unservedJob = {
  type: 'object',
  required: ['id', 'name', 'repository', 'labels'],
  properties: {
    id: { type: 'string', maxLength: 1024, description: 'The id of the job at the forge.' },
    name: { type: 'string', maxLength: 1024, description: 'The name of the job.' },
    repository: { type: 'string', maxLength: 1024, description: 'The repository of the job.' },
    labels: {
      type: 'array',
      maxItems: 16,
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'string', maxLength: 1024 },
      description: 'The labels that its runner must have.',
    },
  },
}

const time = (description: string) => ({ type: 'string', format: 'date-time', nullable: true, description })

const runnerVersion = {
  type: 'object',
  nullable: true,
  required: ['version', 'from', 'image'],
  properties: {
    version: { type: 'string', maxLength: 253, description: 'The version, for example 2.330.0.' },
    from: {
      type: 'string',
      enum: ['runner', 'image'],
      description: 'The source of the version: the newest runner that connected, or the tag of the image.',
    },
    image: { type: 'string', maxLength: 4096, description: 'The image of the runner.' },
    scheduled: { type: 'boolean', description: 'Whether the forge has said when it ends the version.' },
    runtimeEndsAt: time('A runner of the version gets no job after this. Null if no end is planned or known.'),
    registrationEndsAt: time('No runner of the version can register after this. Null if no end is planned or known.'),
    minimum: text('The lowest version that the forge lets register. Null if there is none.'),
  },
  description:
    'The version of the runner, as far as it is known, and when the forge ends it. Null while it is unknown.',
}

const histogram = (description: string) => ({
  type: 'array',
  maxItems: 128,
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    required: ['upTo', 'jobs'],
    properties: {
      upTo: { type: 'integer', format: 'int64', description: 'These jobs used at most this.' },
      jobs: { type: 'number', description: 'The number of these jobs. An older job counts less than one.' },
    },
  },
  description,
})

const usage = {
  type: 'object',
  nullable: true,
  properties: {
    milliCpu: histogram('The processor, in thousandths of a core.'),
    memoryMiB: histogram('The memory, in MiB.'),
    seconds: histogram('The time, in seconds.'),
  },
  description:
    'How many jobs used how much. Absent before the first job has ended. dayfly explain compares it with the requests.',
}

/** A count that is not known is null: unknown is not zero. */
export const statusSchema = {
  type: 'object',
  description: 'The observed state. Dayfly writes it.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'The generation of the spec that the status is about.',
    },
    demand: count('The number of jobs that the forge has for this set. Null while it is unknown.'),
    idle: count('The number of runners that wait for a job.'),
    busy: count('The number of runners with a job.'),
    pending: count('The number of runners that start.'),
    failed: count('The number of failed starts in a row.'),
    lateJobs: {
      type: 'integer',
      format: 'int64',
      description: 'The number of jobs that started on a runner that had run one, because its cordon came too late.',
    },
    pollSeconds: count(
      'How often Dayfly asks the forge for its demand. Null while it does not ask, and at a forge that reports by itself.',
    ),
    min: count('The number of idle runners that the set keeps now.'),
    minReason: text('The window of the schedule that says so, and until when. Null outside of all windows.'),
    usual: count(
      'How many runners this hour usually needs, busy ones included, by usualDemand. Null without it, and 0 while fewer than two weeks are known.',
    ),
    usualReason: text(
      'The hour of the week that needs them, and how many weeks say so; or that too few weeks are known.',
    ),
    demandDays: {
      type: 'array',
      nullable: true,
      maxItems: 29,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['day'],
      items: {
        type: 'object',
        required: ['day', 'peaks'],
        properties: {
          day: { type: 'string', maxLength: 10, description: 'The day in the time zone of usualDemand.' },
          peaks: {
            type: 'string',
            maxLength: 192,
            description: 'The most jobs at once in each of the 24 hours. A hyphen stands for an hour that nobody saw.',
          },
        },
      },
      description: 'The demand of the last four weeks. Null without usualDemand.',
    },
    announced: count(
      'How many runners are announced to a forge that gives the set jobs at once. Null while none is, and at another forge.',
    ),
    announcedReason: text(
      'Why fewer runners than the maximum are announced: pool, quota, no-room, refused, failing, forge-limit or unchecked.',
    ),
    announcedDetail: text('What was observed of that.'),
    runnerVersion,
    lastReason: text('The reason of the most important problem.'),
    lastMessage: text('What was observed of that problem.'),
    problems: {
      type: 'array',
      maxItems: 16,
      'x-kubernetes-list-type': 'atomic',
      items: problem,
      description: 'The problems of the set now, the most urgent first.',
    },
    forge: {
      type: 'object',
      maxProperties: 32,
      additionalProperties: { type: 'string', maxLength: 1024 },
      description: 'The identifiers of the set at the forge, by which a new leader finds them.',
    },
    unserved: {
      type: 'object',
      nullable: true,
      required: ['count', 'jobs'],
      properties: {
        count: { type: 'integer', format: 'int32', description: 'The number of these jobs.' },
        jobs: {
          type: 'array',
          maxItems: 16,
          'x-kubernetes-list-type': 'atomic',
          items: unservedJob,
          description: 'The jobs that have waited longest.',
        },
      },
      description:
        'The jobs of the account that wait and whose labels no set has. One set of the account shows them. Null at the others, and if there is none.',
    },
    jobs: {
      type: 'array',
      maxItems: 100,
      'x-kubernetes-list-type': 'atomic',
      items: job,
      description: 'The jobs that runners took last, the newest first.',
    },
    rerun: rerunStatus,
    usage,
    conditions: {
      type: 'array',
      maxItems: 16,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: condition,
      description: 'The conditions in the conventions of the Kubernetes API.',
    },
  },
}
