// Bitbucket on a real node: the official job template leaves a pod behind, and the RunnerSet that is made of it does not.
// A stand-in takes the place of the Docker Engine: it answers `docker info` and handles SIGTERM.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runnerSets } from '../../../src/controller/resources.ts'
import { listAt, textAt, valueAt } from '../../../src/lib/read-json.ts'
import { clock, object, secrets } from '../client-place.ts'
import { runnerImage } from './images.ts'
import { installed, ready } from './installation.ts'
import { jobs, nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { type OutsideBitbucket, openBitbucket } from './outside-bitbucket.ts'
import { watchPods } from './pod-watch.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('Bitbucket', (context) => context.skip(whyNoNode)))

/** The shape of the official template: Docker is an ordinary container beside the runner. */
const jobTemplate = (origin: string) => `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Secret
    metadata:
      name: runner-oauth-credentials-<%runner_uuid%>
      labels: { account_uuid: <%account_uuid%>, runner_uuid: <%runner_uuid%>, runner_namespace: <%runner_namespace%> }
    data: { oauthClientId: <%oauth_client_id_base64%>, oauthClientSecret: <%oauth_client_secret_base64%> }
  - apiVersion: batch/v1
    kind: Job
    metadata: { name: runner-<%runner_uuid%> }
    spec:
      template:
        metadata:
          labels: { account_uuid: <%account_uuid%>, runner_uuid: <%runner_uuid%>, runner_namespace: <%runner_namespace%> }
        spec:
          restartPolicy: OnFailure
          terminationGracePeriodSeconds: 5
          containers:
            - name: runner
              image: ${runnerImage}
              imagePullPolicy: IfNotPresent
              resources:
                requests: { memory: <%requests_memory%>, cpu: <%requests_cpu%> }
              env:
                - { name: ACCOUNT_UUID, value: "{<%account_uuid%>}" }
                - { name: RUNNER_UUID, value: "{<%runner_uuid%>}" }
                - name: OAUTH_CLIENT_ID
                  valueFrom: { secretKeyRef: { name: runner-oauth-credentials-<%runner_uuid%>, key: oauthClientId } }
                - name: OAUTH_CLIENT_SECRET
                  valueFrom: { secretKeyRef: { name: runner-oauth-credentials-<%runner_uuid%>, key: oauthClientSecret } }
                - { name: WORKING_DIRECTORY, value: /tmp }
                - { name: DAYFLY_EMULATOR, value: "${origin}" }
              volumeMounts:
                - { name: tmp, mountPath: /tmp }
                - { name: docker-containers, mountPath: /var/lib/docker/containers, readOnly: true }
                - { name: var-run, mountPath: /var/run }
            - name: docker
              image: docker:27-dind
              imagePullPolicy: IfNotPresent
              securityContext: { privileged: true }
              volumeMounts:
                - { name: tmp, mountPath: /tmp }
                - { name: docker-containers, mountPath: /var/lib/docker/containers }
                - { name: var-run, mountPath: /var/run }
          volumes: [{ name: tmp }, { name: docker-containers }, { name: var-run }]
      backoffLimit: 6
      completions: 1
      parallelism: 1
`

const configuration = (namespace: string) => `groups:
  - name: linux
    workspace: acme
    labels: [docker]
    namespace: ${namespace}
    strategy: percentageRunnersIdle
    parameters: { min: 1, max: 4, scale_up_threshold: 0.5, scale_down_threshold: 0.2, scale_up_multiplier: 1.5, scale_down_multiplier: 0.5 }
    resources: { requests: { memory: 64Mi, cpu: 10m }, limits: { memory: 256Mi, cpu: 500m } }
`

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, { name: 'bitbucket', latencyMs: 150, values: { rbac: { runnerLogs: true } } })
  let forge: OutsideBitbucket
  beforeAll(async () => {
    forge = await openBitbucket(150)
  })
  afterAll(() => forge?.close())

  it('keeps the pod of an official job as long as its Docker container runs', async () => {
    const { node, watched } = stage()
    const { uuid, env } = await forge.register('official')
    const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
    const containers = [
      { name: 'runner', image: runnerImage, env: variables },
      { name: 'docker', image: 'docker:27-dind', securityContext: { privileged: true } },
    ]
    const spec = { template: { spec: { restartPolicy: 'OnFailure', terminationGracePeriodSeconds: 5, containers } } }
    await node.apply(watched, object('batch/v1', 'Job', { name: 'official' }, { spec }))
    const runner = () => forge.control.runners().find(({ name }) => name === 'official')
    await settle(
      async () => runner()?.status,
      (status) => status === 'ONLINE',
    )
    await forge.remove(uuid)
    const zombie = /^Running .*runner=Completed\(0\)/
    await settle(
      () => node.look(watched),
      ([pod = '']) => zombie.test(pod),
    )
    await clock.sleep(15_000)
    expect(await node.look(watched)).toEqual([expect.stringMatching(zombie)])
    const job = await node.get(jobs, watched, 'official')
    expect(valueAt(job, 'status', 'active')).toBe(1)
    await node.kubernetes.delete(jobs, { namespace: watched, name: 'official' }, { propagationPolicy: 'Background' })
    await node.becomes(watched)
  })

  it('leaves nothing with the RunnerSet that dayfly import makes of the same template', async () => {
    const { node, operator, watched } = stage()
    await node.kubernetes.create(
      secrets,
      object(
        'v1',
        'Secret',
        { name: 'runner-bitbucket-credentials', namespace: watched },
        { stringData: { bitbucketAccessToken: forge.token } },
      ),
    )
    const folder = path.join(tmpdir(), `bitbucket-import-${process.pid}`)
    mkdirSync(folder, { recursive: true })
    const files = [operator.file(configuration(watched)), operator.file(jobTemplate(forge.origin))]
    await operator.dayfly('import', 'bitbucket-autoscaler', ...files, '--out', folder)
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.yaml'))) {
      const text = readFileSync(path.join(folder, name), 'utf8')
      writeFileSync(path.join(folder, name), text.replaceAll('https://bitbucket.org', forge.origin))
    }
    await operator.kubectl('apply', '--server-side', '-f', folder)
    const watch = watchPods(node, watched)
    await ready(stage(), watched, 'linux', 60_000)
    const steps = forge.control.queueSteps(
      Array.from({ length: 3 }, (_, index) => ({
        repository: 'app',
        labels: ['self.hosted', 'linux', 'docker'],
        name: `step ${index}`,
        script: ['sleep 3', 'hostname'],
      })),
    )
    const facts = () => steps.map((id) => forge.control.step(id))
    await settle(
      async () => facts(),
      (all) => all.every((step) => step?.state === 'COMPLETED'),
      240_000,
    )
    expect(facts().map((step) => step?.result)).toEqual(['SUCCESSFUL', 'SUCCESSFUL', 'SUCCESSFUL'])
    const names = facts().map((step) => step?.runner?.name ?? '')
    expect(new Set(names).size).toBe(3)
    const isLeft = (pod: { readonly metadata: { readonly name: string } }) => names.includes(pod.metadata.name)
    await settle(
      async () => watch.live().filter(isLeft),
      (left) => left.length === 0,
      120_000,
    )
    const set = await node.get(runnerSets, watched, 'linux')
    expect(valueAt(set, 'status', 'lateJobs')).toBe(0)
    expect(listAt(set, 'status', 'jobs').map((job) => textAt(job, 'result'))).toEqual(Array(3).fill('succeeded'))
    await node.kubernetes.delete(runnerSets, { namespace: watched, name: 'linux' })
    await settle(
      async () => forge.control.runners(),
      (left) => left.length === 0,
      60_000,
    )
    await node.becomes(watched)
    await watch.close()
  }, 600_000)
}
