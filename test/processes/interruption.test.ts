// Tests that a demo leaves nothing behind if it is interrupted at any moment, or if any part of it is killed.
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { isFull } from '@dayfly/kit/full.fixture'
import { seededRandom } from '@dayfly/kit/random'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Cli, createWorld, until, type World } from '../cli.ts'

const moments = Number(process.env['DAYFLY_MOMENTS'] ?? (isFull ? 20 : 2))
/** The machine of the tests may be busy. */
const timeout = 60_000
const seed = Number(process.env['DAYFLY_SEED'] ?? Date.now() % 1_000_000)

/** A workflow whose steps start a grandchild that ignores SIGTERM and has its own session, environment and directory. */
const stubborn = `on: push
jobs:
  stubborn:
    runs-on: x
    strategy: { matrix: { n: [1, 2] } }
    steps:
      - run: |
          echo \${{ matrix.n }} > marker
          (trap '' TERM; setsid env -i sh -c 'trap "" TERM; sleep 300; :' & wait) &
          trap '' TERM
          sleep 300
`

let world: World
let file: string
beforeEach(() => {
  world = createWorld()
  file = path.join(world.directory, 'own', 'stubborn.yml')
  mkdirSync(path.dirname(file))
  writeFileSync(file, stubborn)
})
afterEach(() => world.end())

async function expectNothingLeft(ports: readonly number[]): Promise<void> {
  expect({ processes: world.processes(), files: world.files() }).toEqual({ processes: [], files: [] })
  for (const port of ports) expect(await isOpen(port)).toBe(false)
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

/** Returns the ports on which a living demo listens: those of the machine's listening sockets that belong to the demo. */
function portsOf(cli: Cli): number[] {
  const folder = `/proc/${cli.child.pid}/fd`
  const sockets = new Set(readdirSync(folder).map((fd) => targetOf(path.join(folder, fd))))
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)
  const listening = rows.map((row) => row.trim().split(/\s+/)).filter((fields) => fields[3] === '0A')
  const own = listening.filter((fields) => sockets.has(`socket:[${fields[9]}]`))
  return own.map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '0', 16))
}

/** A file may be closed between the list of its folder and this call. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/** Each look reads all processes of the machine. */
const allStepsRun = () => until('all steps run', 45_000, () => steps().length >= 2, 100)
const steps = () => world.processes().filter((line) => /sleep 300/.test(line))

describe(`an interrupted demo leaves nothing (seed ${seed})`, { timeout }, () => {
  const random = seededRandom(seed)
  const delays = Array.from({ length: moments }, () => Math.round(random() * 2_500))
  test.each(delays)('after %i ms', async (delay) => {
    const cli = world.start('demo', file)
    await new Promise((resolve) => setTimeout(resolve, delay))
    cli.child.kill('SIGINT')
    const { code, signal } = await cli.ended
    // Before the program is loaded, the signal itself ends the process.
    expect([130, 'SIGINT']).toContain(code ?? signal)
    await expectNothingLeft([])
  })

  test('while every job runs, and closes its ports', async () => {
    const cli = world.start('demo', file)
    await allStepsRun()
    const ports = portsOf(cli)
    expect(ports).toHaveLength(3)
    cli.child.kill('SIGINT')
    expect(await cli.ended).toMatchObject({ code: 130 })
    await expectNothingLeft(ports)
  })

  test('after a second signal', async () => {
    const cli = world.start('demo', file)
    await allStepsRun()
    cli.child.kill('SIGINT')
    cli.child.kill('SIGTERM')
    const { code } = await cli.ended
    expect([130, 143]).toContain(code)
    await expectNothingLeft([])
  })

  test.each([
    ['a runner', /runner\.js/],
    ["a step's grandchild", /sleep 300/],
  ])('after %s was killed', async (_, part) => {
    const cli = world.start('demo', file)
    await allStepsRun()
    const victim = world.processes().find((line) => part.test(line) && !/dayfly\.js/.test(line))
    process.kill(Number.parseInt(victim ?? '', 10), 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 100))
    cli.child.kill('SIGINT')
    expect(await cli.ended).toMatchObject({ code: 130 })
    await expectNothingLeft([])
  })
})

test('a demo removes the leftovers of a killed demo', { timeout }, async () => {
  const killed = world.start('demo', file)
  await allStepsRun()
  killed.child.kill('SIGKILL')
  await killed.ended
  const [left] = world.files()
  expect(left).toMatch(/^dayfly-demo-/)
  expect(steps().length).toBeGreaterThan(0)
  const good = path.join(path.dirname(file), 'good.yml')
  writeFileSync(good, "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: 'true'\n")
  const next = world.start('demo', good, '--exit')
  expect(await next.ended).toMatchObject({ code: 0 })
  expect(next.stderr()).toContain(
    `removed the leftovers of an earlier demo in ${path.join(world.directory, left ?? '')}`,
  )
  expect(existsSync(path.join(world.directory, left ?? ''))).toBe(false)
  await expectNothingLeft([])
})
