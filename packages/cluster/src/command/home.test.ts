import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endAbandoned, endProcesses, type Home, markVariable, openHome, removeHome } from './home.ts'
import { findProcesses } from './processes.ts'

const clock = systemClock()
let parent: string
let home: Home

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'home-test-'))
  home = openHome(parent)
  mkdirSync(home.cluster)
})

afterEach(async () => {
  await endProcesses(home, clock, process.pid)
  rmSync(parent, { recursive: true, force: true })
})

/** Starts a shell script and resolves with its first line of output. If the script then calls `exec`, poll for the new program. */
function start(
  script: string,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: options.cwd ?? '/',
    env: { PATH: process.env['PATH'], ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())))
}

const find = (ancestor?: number) => findProcesses({ directory: home.cluster, variable: markVariable, ancestor })
const mark = () => ({ [markVariable]: path.join(home.cluster, 'pods/a/runner.0') })

describe('findProcesses', () => {
  test('finds a process by the mark in its environment', async () => {
    const pid = Number(await start('echo $$; exec sleep 60', { env: mark() }))
    await expect.poll(() => find()).toMatchObject([{ pid, by: 'environment', command: 'sleep 60' }])
  })

  test('finds a process with an empty environment in its own session by its directory', async () => {
    const pid = Number(await start('setsid env -i sh -c "echo \\$\\$; exec sleep 60"', { cwd: home.cluster }))
    expect(find().map((found) => found.pid)).toContain(pid)
    await expect.poll(() => find()).toContainEqual({ pid, by: 'directory', command: 'sleep 60' })
  })

  test('finds a process that has also left its directory by its parents', async () => {
    const pid = Number(
      await start('cd /; env -i sh -c "echo \\$\\$; sleep 60; :" & wait', { cwd: home.cluster, env: mark() }),
    )
    expect(find()).toContainEqual(expect.objectContaining({ pid, by: 'parentage' }))
  })

  test('finds the descendants of a given process without any mark', async () => {
    const pid = Number(await start('echo $$; exec sleep 60'))
    await expect.poll(() => find(process.pid)).toContainEqual({ pid, by: 'parentage', command: 'sleep 60' })
    expect(find()).toEqual([])
  })

  test('ignores homes with a similar name, and processes that only mention the path', async () => {
    await start('echo $$; exec sleep 60', { env: { [markVariable]: `${home.cluster}-other/x` } })
    await start('echo $$; exec sleep 60', { env: { KUBECONFIG: home.kubeconfig } })
    expect(find()).toEqual([])
  })

  test('finds the processes of a tree that ignores SIGTERM, and endProcesses kills them', async () => {
    await start('trap "" TERM; (trap "" TERM; sleep 60) & echo $$; wait', { env: mark() })
    expect(find().length).toBeGreaterThan(1)
    expect(await endProcesses(home, clock)).toEqual([])
    expect(find()).toEqual([])
  })
})

describe('endAbandoned', () => {
  test('keeps the home of a living process', async () => {
    expect(await endAbandoned(clock, parent)).toEqual([])
    expect(existsSync(home.directory)).toBe(true)
  })

  test('removes the home of a dead process and kills its processes', async () => {
    const { pid } = spawnSync('true')
    const abandoned = home.directory.replace(/-\d+-\d+-(\w+)$/, `-${pid}-12345-$1`)
    spawnSync('mv', [home.directory, abandoned])
    const cluster = path.join(abandoned, 'cluster')
    await start('echo $$; exec sleep 60', { env: { [markVariable]: path.join(cluster, 'pods/a/runner.0') } })
    expect(await endAbandoned(clock, parent)).toEqual([abandoned])
    expect(existsSync(abandoned)).toBe(false)
    expect(findProcesses({ directory: cluster, variable: markVariable, ancestor: undefined })).toEqual([])
  })

  test('keeps the home of another PID namespace and any other directory', async () => {
    const foreign = path.join(parent, 'dayfly-demo-1-99999999-1-abcdef')
    const other = path.join(parent, 'dayfly-demo-notes')
    mkdirSync(foreign)
    mkdirSync(other)
    expect(await endAbandoned(clock, parent)).toEqual([])
    expect(existsSync(foreign) && existsSync(other)).toBe(true)
  })

  test('leaves the removal of one home to removeHome, which leaves nothing', () => {
    mkdirSync(path.join(home.cluster, 'pods/a'), { recursive: true })
    expect(removeHome(home)).toBe(true)
    expect(existsSync(home.directory)).toBe(false)
  })
})
