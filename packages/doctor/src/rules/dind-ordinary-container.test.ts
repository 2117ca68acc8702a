// Tests what the rule says where the pod does not hang by itself.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { rule } from './dind-ordinary-container.ts'

function findingsIn(text: string) {
  return examine(decodeFiles([{ path: 'a.yaml', text }]), [rule]).findings
}

const job = (env: string, labels = '') => `apiVersion: batch/v1
kind: Job
metadata: {name: builds}
spec:
  template:
    metadata: {labels: {${labels}}}
    spec:
      restartPolicy: Never
      containers:
        - {name: runner, image: 'registry.example/bitbucket-pipelines-runner:6', env: [${env}]}
        - {name: docker, image: 'docker:27-dind'}
`
const client = '{name: OAUTH_CLIENT_ID, value: a}'

test("Bitbucket's runner waits by design: a warning that says when the pod hangs", () => {
  const [found] = findingsIn(job(client))
  expect(found).toMatchObject({ severity: 'warning' })
  expect(found?.message).toMatch(/waits for jobs until something stops it\. If the runner ends, the pod stays Running/)
  const [other] = findingsIn(job(''))
  expect(other).toMatchObject({ severity: 'error' })
  expect(other?.message).toMatch(/so the pod stays Running after its work has ended, the Job stays active/)
})

test('the autoscaler of Bitbucket deletes the Job in the end', () => {
  const [found] = findingsIn(job(client, 'account_uuid: a, runner_uuid: b, runner_namespace: c'))
  expect(found).toMatchObject({ severity: 'warning' })
  expect(found?.message).toMatch(/stays Running until the autoscaler deletes its Job\. Make it/)
})

test('ARC deletes the pod, so the warning names the start and the stop', () => {
  const set = (command: string) => `githubConfigUrl: https://github.com/acme
template:
  spec:
    containers:
      - {name: runner, image: 'ghcr.io/actions/actions-runner:2.329.0', command: ${command}}
      - {name: dind, image: 'docker:27-dind'}
`
  const [found] = findingsIn(set('[/home/runner/run.sh]'))
  expect(found).toMatchObject({ severity: 'warning' })
  expect(found?.message).toMatch(/may start a job before the daemon answers, and the daemon may stop before the runner/)
  expect(findingsIn(set('[sh, -c, "until docker info; do sleep 1; done; exec /home/runner/run.sh"]'))).toEqual([])
})
