// Tests what an operator sees within two seconds after `kubectl apply -f bad-set.yaml` into a running demo.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorld, until, type World } from '../cli.ts'
import { findKubectl } from './kubectl.ts'

const execute = promisify(execFile)
let world: World
let obstacle: string | undefined
let program: string

beforeAll(async () => {
  world = createWorld()
  mkdirSync(path.join(world.directory, 'own'))
  const found = await findKubectl()
  if (found.is === 'missing') obstacle = found.why
  else program = found.program
})
afterAll(() => world.end())

test('a set with a template that cannot run shows the reason in its status, in Events and in the log', async (context) => {
  if (obstacle) context.skip(obstacle)
  const own = path.join(world.directory, 'own')
  const workflow = path.join(own, 'slow.yml')
  writeFileSync(workflow, 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: sleep 60\n')
  const demo = world.start('demo', workflow)
  const [, kubeconfig = ''] = await demo.saw(/--kubeconfig (\S+)/)
  const kubectl = async (...args: readonly string[]) => {
    const all = ['--kubeconfig', kubeconfig, '--cache-dir', path.join(own, 'cache'), ...args]
    return (await execute(program, all)).stdout
  }
  const url = await kubectl('get', 'runnerset', 'demo', '-o', 'jsonpath={.spec.github.url}')
  const file = path.join(own, 'bad-set.yaml')
  writeFileSync(file, badSet(url))
  await until('the good set is busy', 10_000, async () =>
    / 1 /.test(await kubectl('get', 'runnersets', '--no-headers')),
  )
  await kubectl('apply', '-f', file)
  const applied = performance.now()
  await until('get, describe and the log show the reason', 2_000, async () => {
    const [list, described] = await Promise.all([kubectl('get', 'runnersets'), kubectl('describe', 'runnerset', 'bad')])
    const reason = /volumeMounts\[\d\]\.name: Not found: "gone"/
    return /^bad .*template-invalid/m.test(list) && reason.test(described) && reason.test(demo.stderr())
  })
  expect(performance.now() - applied).toBeLessThan(2_000)
  const counts = 'jsonpath={.status.idle}/{.status.busy}/{.status.pending}'
  expect(await kubectl('get', 'runnerset', 'bad', '-o', counts)).toBe('0/0/0')
  expect(await kubectl('get', 'runnerset', 'demo', '-o', counts)).toBe('0/1/0')
  const state = await fetch(`${new URL(url).origin}/_emulator/state`)
  expect(await state.text()).not.toMatch(/"bad-/)
  demo.child.kill('SIGINT')
  expect(await demo.ended).toMatchObject({ code: 130 })
  expect([world.files(), world.processes()]).toEqual([[], []])
})

const badSet = (url: string) => `apiVersion: dayfly.dev/v1alpha1
kind: RunnerSet
metadata:
  name: bad
spec:
  github:
    url: ${url}
    credentials: { secret: github }
  scale: { min: 1, max: 3 }
  template:
    spec:
      containers:
        - name: runner
          volumeMounts:
            - { name: gone, mountPath: /gone }
`
