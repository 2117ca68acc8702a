// Comments exist only in text: an admission policy cannot see them, so these cases are not among those that it shares with the rule.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { rule } from './ttl-vs-history.ts'

const cronJob = (ttl: string) => `apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
spec:
  schedule: 0 3 * * *
  jobTemplate:
    spec:
      ${ttl}
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: clean
              image: registry.example/clean:1
`

test.each<[string, number]>([
  ['ttlSecondsAfterFinished: 3600 # keep the logs for one hour', 0],
  ['ttlSecondsAfterFinished: 3600 # The TTL alone cleans up here.', 0],
  ['ttlSecondsAfterFinished: 3600 # shorter than the history: our nodes are small', 0],
  ['ttlSecondsAfterFinished: 3600 # 1h', 1],
  ['ttlSecondsAfterFinished: 7200 # Remove the sweeper two hours after its end', 1],
  ['# Our collector reads the logs within minutes.\n      ttlSecondsAfterFinished: 600', 0],
  ['ttlSecondsAfterFinished: 3600', 1],
  ['ttlSecondsAfterFinished: 3600 # TODO', 1],
  ['# backoffLimit: 3\n      ttlSecondsAfterFinished: 3600', 1],
  ['# Our nodes are small.\n      backoffLimit: 3\n      ttlSecondsAfterFinished: 3600', 1],
])('only a comment about the TTL or the history silences the rule: %s', (ttl, count) => {
  const files = decodeFiles([{ path: 'a.yaml', text: cronJob(ttl) }])
  expect(examine(files, [rule]).findings).toHaveLength(count)
})
