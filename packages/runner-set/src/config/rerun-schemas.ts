// The schemas of the repetition of broken jobs: its field of the spec, and its part of the status.
import * as z from 'zod'

export const rerun = z
  .strictObject({
    perRun: z
      .int32()
      .min(1)
      .max(10)
      .default(3)
      .describe('A run with this many repetitions is not repeated any more. Those of people count, too.'),
    perDay: z.int32().min(1).max(10_000).default(100).describe('How many jobs the set repeats in a day of UTC.'),
    notify: z.boolean().default(true).describe('Notifies the author by a check run or a commit status at the commit.'),
  })
  .describe('Repeats jobs that an eviction, a preemption or a lost node broke. Without it, Dayfly repeats nothing.')

const text = (maxLength: number, description: string) => ({ type: 'string', maxLength, description })

const pending = {
  type: 'object',
  required: ['runner', 'job', 'repository', 'run', 'cause', 'detail', 'brokeAt', 'endedAt'],
  properties: {
    runner: text(253, 'The runner that had the job.'),
    job: text(1024, 'The name of the job.'),
    repository: text(1024, 'The repository of the job.'),
    run: text(253, 'The id of its run at the forge.'),
    cause: text(253, 'What broke it.'),
    detail: text(1024, 'What was observed.'),
    brokeAt: { type: 'string', format: 'date-time', description: 'When the cause began.' },
    endedAt: { type: 'string', format: 'date-time', description: 'When the pod had ended.' },
    ended: { type: 'boolean', description: 'Whether Dayfly asked the forge to end the run.' },
    doubtful: { type: 'boolean', description: 'Whether a request to repeat it had no answer.' },
    note: {
      type: 'object',
      nullable: true,
      properties: {
        sha: text(64, 'The commit.'),
        title: text(1024, 'The title.'),
        text: text(4096, 'The text.'),
      },
      description: 'What its author must still be notified. Null while nothing is decided.',
    },
  },
}

export const rerunStatus = {
  type: 'object',
  nullable: true,
  required: ['day', 'repeated', 'pending'],
  properties: {
    day: text(10, 'The day of UTC that repeated counts.'),
    repeated: { type: 'integer', format: 'int32', description: 'The number of jobs that were repeated on that day.' },
    pending: {
      type: 'array',
      maxItems: 100,
      'x-kubernetes-list-type': 'atomic',
      items: pending,
      description: 'The broken jobs that are not settled.',
    },
  },
  description: 'The jobs that the infrastructure broke. Null while there is none.',
}
