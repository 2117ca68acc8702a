// `dayfly status` where no process leads: it looks for the pods of the controller, and says why they do not run.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pods } from '@dayfly/controller/resources'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli, until } from '../cli.ts'
import { type OperateStage, openOperateStage } from '../controller/operate-stage.fixture.ts'

let stage: OperateStage
beforeAll(async () => {
  stage = await openOperateStage()
}, 60_000)
afterAll(() => stage.close())

/** Creates a pod with the label that the chart sets. */
async function addPod(name: string, spec: object, ...args: readonly string[]): Promise<void> {
  const metadata = { name, namespace: 'kube-system', labels: { 'dayfly.dev/controller': 'dayfly-default' } }
  const container = { name: 'controller', image: 'x', command: ['/bin/sh', '-c', 'sleep 600', 'sh'], args }
  await stage.kubernetes.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [container], ...spec },
  } as KubeObject)
}

test('status fails if no pod of the controller exists, though there is no set', async () => {
  const { code, stdout } = await stage.dayfly('status')
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^Controller: no pod exists that serves default\.\n {2}next: Install the controller, or start/m,
  )
  expect(JSON.parse((await stage.dayfly('status', '--json')).stdout)).toMatchObject({
    controllerPods: { is: 'stopped' },
  })
})

test('status names the pod that does not run, with the reason and the command that shows more', async () => {
  await addPod('held', { nodeSelector: { disk: 'ssd' } }, '--namespace=default')
  const { code, stdout } = await until('the reason is known', 20_000, async () => {
    const result = await stage.dayfly('status')
    return /Unschedulable/.test(result.stdout) ? result : undefined
  })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^Controller: no pod runs\. kube-system\/held: Unschedulable: 0\/1 nodes are available/m)
  expect(stdout).toMatch(/next: kubectl describe pod held -n kube-system$/m)
  expect((await stage.dayfly('status', '-n', 'kube-system')).stdout).toContain('no pod exists that serves kube-system.')
})

test('status points to the log of a pod that runs and does not lead', async () => {
  await addPod('silent', {}, '--namespace=default')
  const { code, stdout } = await until('the pod runs', 20_000, async () => {
    const result = await stage.dayfly('status')
    return /silent runs/.test(result.stdout) ? result : undefined
  })
  expect(stdout).toMatch(
    /^Controller: the pod kube-system\/silent runs and does not lead\.\n {2}next: kubectl logs silent/m,
  )
  expect(code).toBe(1)
})

test('status says nothing of pods if a process leads', async () => {
  stage.startController()
  const { code, stdout } = await until('it leads', 20_000, async () => {
    const result = await stage.dayfly('status')
    return /^Leader: (?!none)/.test(result.stdout) ? result : undefined
  })
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('Controller:')])
})

test('status without the right to list pods says that they are not known', async () => {
  const server = createServer((request, response) => {
    const isPods = request.url?.startsWith('/api/v1/pods') === true
    const forbidden = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
      message: 'no',
    }
    const list = {
      kind: 'List',
      apiVersion: 'v1',
      gitVersion: 'v1.36.0',
      metadata: { resourceVersion: '1' },
      items: [],
    }
    response.writeHead(isPods ? 403 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isPods ? forbidden : list))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const file = path.join(stage.world.directory, 'kubeconfig-forbidden')
  const cluster = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  const named = { 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }] }
  const own = { ...named, clusters: [{ name: 'x', cluster }], users: [{ name: 'x', user: {} }] }
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...own }))
  const { code, stdout, stderr } = await runCli(['status', '-n', 'ci', '--kubeconfig', file])
  server.close()
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toMatch(/^Controller: not known: you may not list pods in all namespaces$/m)
})
