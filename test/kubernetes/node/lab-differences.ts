// The differences between an incident on the real node and on the embedded cluster. Any other one fails the test, and the pages of docs/incidents list them.
import type { Difference } from './lab-on-node.ts'

export type KnownDifference = {
  /** The sentence of the page. */
  readonly sentence: string
  /** The observations that differ for this reason. */
  readonly shows?: readonly Difference[]
}

const time: KnownDifference = {
  sentence:
    'Hours do not pass. The clock of the doctor is set ahead by each long wait, and the wait takes three seconds.',
}
const ttl: KnownDifference = { sentence: 'The TTL of a finished Job is 5 s.' }
const runners: KnownDifference = {
  sentence: 'The runners of Dayfly are shell programs, which ask the test for each step of their script.',
}

/** The known differences of each incident that runs on the real node. */
export const knownDifferences: Readonly<Record<string, readonly KnownDifference[]>> = {
  'zombie-pod': [
    {
      sentence: 'The node has one version of Kubernetes, so the wrong remedy on 1.28 is not shown.',
      shows: [
        {
          claim:
            'A sidecar on 1.N: the API server drops restartPolicy, so it refuses the startup probe of an init container.',
          only: 'embedded',
        },
        {
          claim:
            'A sidecar without a probe on 1.N: Docker is a plain init container, and the runner waits for its end forever.',
          only: 'embedded',
        },
      ],
    },
    time,
    ttl,
    {
      sentence:
        'The runner is a shell program, which asks the test for each step of its script. Docker is a program that only waits.',
    },
  ],
  'stuck-hook': [
    time,
    {
      sentence:
        'The hour of the preStop hook does not pass. The operator ends the container of the hook on the node, as for the postStart hook.',
    },
    { sentence: 'A hook that hangs is a shell program, which waits for an answer of the test.' },
    runners,
  ],
  'podgc-loop': [
    {
      sentence:
        'Kubernetes since 1.26 always counts by the finalizer, so the loop is not shown, but only that nothing runs twice.',
      shows: [
        { claim: 'Without the finalizer, work runs again although no pod has failed.', only: 'embedded' },
        {
          claim: 'The Events of one Job show each new pod, and nothing about the deletion of the one before.',
          only: 'embedded',
        },
      ],
    },
    {
      sentence:
        'There are 30 Jobs of 2 s and a threshold of 20 finished pods. The Job controller has the request limit of its defaults.',
    },
    ttl,
    {
      sentence:
        'The containers of the Jobs and the runners of Dayfly are shell programs, which ask the test for each step of their script.',
    },
  ],
  'stuck-uninstall': [time, runners],
}
