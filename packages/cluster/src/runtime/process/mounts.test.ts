// Volumes at their absolute paths, on a host that allows mount namespaces.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@dayfly/kit/system'
import { afterAll, expect, test } from 'vitest'
import type { ContainerConfig } from '../runtime.ts'
import { findMountNamespaces, planMounts } from './mounts.ts'
import { createProcessRuntime } from './process-runtime.ts'

const folder = mkdtempSync(join(tmpdir(), 'dayfly-mounts-'))
// A volume over the temporary directory must not hide the results.
const results = mkdtempSync('/var/tmp/dayfly-mounts-')
afterAll(() => {
  for (const made of [folder, results]) rmSync(made, { recursive: true, force: true })
})
const namespaces = findMountNamespaces()
const file = (text: string) => ({ path: 'file', data: Buffer.from(text), mode: 0o644 })

function config(pod: string, script: string, mounts: Record<string, string>): ContainerConfig {
  return {
    id: { pod, name: 'main', attempt: 0 },
    ...{ image: 'x', command: ['sh', '-c', script], args: [], env: {}, workingDir: undefined },
    ...{ terminationMessagePath: undefined, isFirstProcess: false },
    mounts: Object.entries(mounts).map(([mountPath, text]) => ({
      ...{ mountPath, subPath: undefined, volume: { name: mountPath.replaceAll('/', '-'), files: [file(text)] } },
    })),
  }
}

async function run(pod: string, script: string, mounts: Record<string, string>, images = {}) {
  const dataDirectory = join(folder, pod)
  const environment = { PATH: process.env['PATH'] ?? '' }
  const runtime = createProcessRuntime({ dataDirectory, clock: systemClock(), environment, images, namespaces })
  const result = join(results, pod)
  const started = await runtime.start(config(pod, `(${script}) >${result} 2>&1`, mounts))
  const end = started.is === 'started' ? await started.ended : started
  await runtime.close()
  return { end, output: existsSync(result) ? readFileSync(result, 'utf8') : '' }
}

test('files appear at absolute paths, also in directories that this host does not have', async (context) => {
  if (!namespaces) context.skip('this host allows no mount namespaces')
  const places = { '/dayfly-none/deep': 'one', '/dayfly-none/deep/er': 'two', '/etc/dayfly-none': 'three' }
  const script =
    'cd /; cat /dayfly-none/deep/file /dayfly-none/deep/er/file /etc/dayfly-none/file; cat /etc/passwd | wc -l'
  const { output } = await run('missing', script, places)
  expect(output).toMatch(/^onetwothree[1-9]\d*\n$/)
  expect([existsSync('/dayfly-none'), existsSync('/etc/dayfly-none')]).toEqual([false, false])
})

test('a volume over the temporary directory hides it, and the container still finds its own files', async (context) => {
  if (!namespaces) context.skip('this host allows no mount namespaces')
  const script = 'cat /tmp/file; ls /tmp | wc -l; test -d "$DAYFLY_ROOT" && test -d "$HOME" && pwd'
  const { output } = await run('covered', script, { '/tmp': 'mine' })
  // The data directory is the one other entry.
  expect(output).toBe(`mine2\n${join(realpathSync(folder), 'covered/pods/covered/main.0/root')}\n`)
})

test.for([
  ['on this root directory', {}],
  ['on a copy of the root directory', { '/dayfly-none': 'five' }],
] as const)('a volume over the temporary directory hides no other volume, %s', async ([title, more], context) => {
  if (!namespaces) context.skip('this host allows no mount namespaces')
  const mounts = { '/tmp': 'one', '/tmp/in': 'two', '/srv': 'three', '/run/dayfly-none': 'four', ...more }
  const files = Object.keys(mounts).map((path) => `${path}/file`)
  const script = `cat ${files.join(' ')}; test -d "$HOME"`
  const { end, output } = await run(title.replaceAll(' ', '-'), script, mounts)
  expect({ end, output }).toMatchObject({ end: { exitCode: 0 }, output: Object.values(mounts).join('') })
})

test('a command finds the program of its image at its path, unless this host has a program there', async (context) => {
  if (!namespaces) context.skip('this host allows no mount namespaces')
  const image = (entrypoint: string) => ({ x: { entrypoint, program: ['/bin/echo', 'mine'] } })
  const missing = await run('missing-program', '/dayfly-none/run.sh', {}, image('/dayfly-none/run.sh'))
  expect(missing.output).toBe('mine\n')
  const there = await run('own-program', '/bin/sh -c "echo host"', {}, image('/bin/sh'))
  expect(there.output).toBe('host\n')
})

test('a missing path needs a copy of its nearest directory, and a nested volume needs none', () => {
  const plan = planMounts('/data', '/data/copies', [
    { source: '/v/inner', target: '/none/a/b' },
    { source: '/v/outer', target: '/none/a' },
  ])
  expect(plan.copies).toEqual([{ of: '/', at: '/data/copies/copy.0' }])
  expect(plan.root).toBe('/data/copies/copy.0')
  expect(plan.places).toEqual([
    { source: '/v/outer', target: '/data/copies/copy.0/none/a' },
    { source: '/v/inner', target: '/v/outer/b' },
  ])
  expect(plan.binds.slice(-2)).toEqual([
    { source: '/v/outer', target: '/data/copies/copy.0/none/a' },
    { source: '/v/inner', target: '/data/copies/copy.0/none/a/b' },
  ])
})

test('the data directory appears again in each volume that covers it, before the next volume is mounted', () => {
  const plan = planMounts('/usr/lib/data', '/usr/lib/data/copies', [
    { source: '/usr/lib/data/inner', target: '/usr/lib' },
    { source: '/usr/lib/data/outer', target: '/usr' },
  ])
  expect(plan.places).toEqual([
    { source: '/usr/lib/data', target: '/usr/lib/data/outer/lib/data' },
    { source: '/usr/lib/data/inner', target: '/usr/lib/data/outer/lib' },
    { source: '/usr/lib/data', target: '/usr/lib/data/inner/data' },
  ])
  expect(plan.binds).toEqual([
    { source: '/usr/lib/data/outer', target: '/usr' },
    { source: '.', target: '/usr/lib/data' },
    { source: '/usr/lib/data/inner', target: '/usr/lib' },
    { source: '.', target: '/usr/lib/data' },
  ])
})
