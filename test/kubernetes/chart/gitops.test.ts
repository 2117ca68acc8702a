// docs/guide/gitops.md: its script runs in the Lua of Argo CD over the statuses of a real controller, and helm renders the charts with its values.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { textAt, valueAt } from '@dayfly/kit/read-json'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { openStage, podNames, queue, type Stage, takeJob } from '../../controller/stage.ts'
import { guideText } from '../../dayfly/guide-pages.ts'
import { createPrograms } from './programs.ts'

const programs = createPrograms('glua', 'helm')
const page = guideText('gitops')
const script = /```lua\n(.*?)```/s.exec(page)?.[1] ?? ''

function lua(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(lua).join(',')}}`
  if (typeof value !== 'object' || value === null) return value === null ? 'nil' : JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `[${JSON.stringify(name)}]=${lua(member)}`)
  return `{${members.join(',')}}`
}

async function healthOf(opened: Stage): Promise<readonly string[]> {
  const object = opened.registry.get('runnersets.dayfly.dev', 'ci', 'linux')
  const file = path.join(programs.folder, 'health.lua')
  const body = `local obj = ${lua(object)}\nlocal function health()\n${script}\nend\nlocal found = health()\n`
  writeFileSync(file, `${body}print(found.status)\nprint(found.message)\n`)
  const { code, stdout, stderr } = await programs.run('glua', [file])
  expect([code, stderr]).toEqual([0, ''])
  return stdout.trim().split('\n')
}

async function edit(opened: Stage, spec: object): Promise<void> {
  const object = opened.registry.get('runnersets.dayfly.dev', 'ci', 'linux')
  opened.registry.update('runnersets.dayfly.dev', { ...object, spec: { ...Object(object?.['spec']), ...spec } })
}

test('a set is Progressing until its first runner is online, and then Healthy', async (context) => {
  if (programs.obstacle()) context.skip(programs.obstacle())
  const stage = await openStage({ forgeMs: 50, apiMs: 50 })
  queue(stage, 1)
  await stage.clock.advance(5_000)
  expect((await healthOf(stage))[0]).toBe('Progressing')
  await takeJob(stage, podNames(stage)[0] ?? '')
  await stage.clock.advance(5_000)
  expect((await healthOf(stage))[0]).toBe('Healthy')
})

test('a change is Progressing until the controller has seen it, and a pause is Suspended', async (context) => {
  if (programs.obstacle()) context.skip(programs.obstacle())
  const stage = await openStage({ forgeMs: 50, apiMs: 50 })
  await stage.clock.advance(5_000)
  await edit(stage, { paused: true })
  expect(await healthOf(stage)).toEqual(['Progressing', 'Dayfly has not seen this RunnerSet yet.'])
  await stage.clock.advance(5_000)
  expect((await healthOf(stage))[0]).toBe('Suspended')
})

test('a set whose Secret is missing is Degraded, with the next step', async (context) => {
  if (programs.obstacle()) context.skip(programs.obstacle())
  const proxy = { url: 'http://proxy.test:3128', credentials: { secret: 'proxy-login' } }
  const stage = await openStage({ forgeMs: 50, apiMs: 50, spec: { runner: { proxy } } })
  await stage.clock.advance(10_000)
  const [status, message] = await healthOf(stage)
  expect(status).toBe('Degraded')
  expect(message).toContain('kubectl create secret generic proxy-login')
})

test.each([
  ['Argo CD', ['source', 'path'], ['source', 'helm', 'valuesObject']],
  ['Flux', ['chart', 'spec', 'chart'], ['values']],
] as const)(
  'the charts take the values of %s: the controller watches the namespace of the set',
  async (tool, chartAt, valuesAt) => {
    const section = page.slice(page.indexOf(`## ${tool}`))
    const documents = parseAllDocuments(/```yaml\n(.*?)```/s.exec(section)?.[1] ?? '').map((one) => one.toJS())
    const rendered = await Promise.all(
      documents.map(async (document) => {
        const spec = valueAt(document, 'spec')
        const values = path.join(programs.folder, `${tool}-${textAt(document, 'metadata', 'name')}.json`)
        writeFileSync(values, JSON.stringify(valueAt(spec, ...valuesAt)))
        const chart = textAt(spec, ...chartAt)?.replace('dayfly/', '') ?? ''
        return await programs.render(chart, '--values', values)
      }),
    )
    const objects = rendered.flat()
    const controller = objects.find(({ kind }) => kind === 'Deployment')
    expect(JSON.stringify(controller)).toContain('--namespace=ci')
    const set = objects.find(({ kind }) => kind === 'RunnerSet')
    expect(set && parseRunnerSet(set)).toMatchObject({ ok: true, set: { name: 'linux', scale: { min: 0, max: 20 } } })
  },
)
