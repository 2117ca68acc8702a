// A cluster that accepts connections and never answers.
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWorld, type World } from '../cli.ts'

const open = new Set<Socket>()
const silent = createServer((socket) => open.add(socket))
let world: World
beforeEach(async () => {
  world = createWorld()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of open) socket.destroy()
  await new Promise((resolve) => silent.close(resolve))
  await world.end()
})

test('is given up after ten seconds, with an error', { timeout: 60_000 }, async () => {
  const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const file = path.join(world.directory, 'own', 'kubeconfig')
  mkdirSync(path.dirname(file))
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user: { token: 'x' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  }
  writeFileSync(file, JSON.stringify(config))
  const cli = world.start('doctor', '--live', '--kubeconfig', file)
  const { code } = await cli.ended
  expect(cli.stderr()).toMatch(/^error cluster-unreachable: .+: no answer within 10 s\.\n {2}next: .+\n$/)
  expect([code, cli.stdout()]).toEqual([3, ''])
})
