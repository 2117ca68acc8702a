// Pods live on the embedded cluster, with real processes, as on a real node with Kubernetes 1.36.3 (lives.jsonl).
// The same lives on a real node renew the recording: test/kubernetes/node/lives.test.ts.
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFull } from '@dayfly/kit/full.fixture'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCluster } from '../../cluster.ts'
import { findMountNamespaces } from '../../runtime/process/mounts.ts'
import { createProcessRuntime } from '../../runtime/process/process-runtime.ts'
import { lives, nodeOnly } from './lives.fixture.ts'
import { playLives, type RecordedLife } from './play-life.fixture.ts'

/** How the embedded cluster differs, by the name of the life. A life without a difference must leave this list. */
const deviations: Readonly<Record<string, string>> = {}

const recorded = new Map<string, RecordedLife>(
  readFileSync(new URL('lives.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedLife)
    .map((life) => [life.name, life]),
)

/** They wait out a back-off of 10 s, which other tests see on a virtual clock. */
const long = ['restarted', 'init-fails-on-failure', 'init-fails-always']
const played = lives.filter(({ name }) => isFull || !long.includes(name))

const clock = systemClock()
const runtime = createProcessRuntime({
  dataDirectory: mkdtempSync(join(tmpdir(), 'dayfly-lives-')),
  clock,
  environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  images: {},
  namespaces: findMountNamespaces(),
})
const cluster = createCluster({ clock, random: systemRandom(), runtime })
let ours: ReadonlyMap<string, RecordedLife> = new Map()

beforeAll(async () => {
  const metadata = { name: 'recorded-12345' }
  cluster.registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata })
  const stage = { transport: cluster.transport('tester'), clock, namespace: metadata.name, width: 26 }
  ours = new Map((await playLives(played, stage)).map((life) => [life.name, life]))
}, 180_000)

afterAll(() => cluster.stop())

test('every life has a unique name and is recorded', () => {
  expect([...recorded.keys()]).toEqual([...lives, ...nodeOnly].map(({ name }) => name))
})

test.each(played.map(({ name }) => name).filter((name) => !(name in deviations)))(
  'a pod lives as recorded: %s',
  (name) => {
    expect(ours.get(name)).toEqual(recorded.get(name))
  },
)
