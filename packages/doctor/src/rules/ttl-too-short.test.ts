// Tests which Jobs count as samples, whose author shows a short TTL on purpose.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { rule } from './ttl-too-short.ts'

function severitiesOf(name: string, path = 'deploy/job.yaml', container = "image: 'registry.example/load:3'") {
  const text = `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec:\n  ttlSecondsAfterFinished: 15\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - {name: c, ${container}}\n`
  return examine(decodeFiles([{ path, text }]), [rule]).findings.map(({ severity }) => severity)
}

test('a Job that deletes its logs at once gets a remark', () => {
  expect(severitiesOf('load')).toEqual(['info'])
})

test.each<[string, string?, string?]>([
  ['pi'],
  ['job-example'],
  ['load', 'examples/load/job.yaml'],
  ['load', 'tutorials/ttl/job.yaml'],
  ['load', 'deploy/job.yaml', "image: perl, command: [perl, -Mbignum=bpi, -wle, 'print bpi(10)']"],
  ['load', 'deploy/job.yaml', "image: 'your-registry/load:1'"],
])('a sample shows a short TTL on purpose: %s %s %s', (name, path, container) => {
  expect(severitiesOf(name, path, container)).toEqual([])
})
