// Runs every incident of the lab: it is reproduced, its remedy holds, and its page shows what the lab prints. Then the command as a process.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Profile } from '@dayfly/cluster/api/api'
import { isFull } from '@dayfly/kit/full.fixture'
import { dayflyParts } from 'dayfly/command/lab/dayfly-parts'
import { incidents } from 'dayfly/lab/catalogue'
import type { Evidence } from 'dayfly/lab/evidence'
import { type LabResult, runIncident } from 'dayfly/lab/lab'
import { verdictsOf } from 'dayfly/lab/notebook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorld, runCli, until, type World } from '../cli.ts'
import { knownDifferences } from '../kubernetes/node/lab-differences.ts'
import { runHere } from '../program-here.ts'

/** An incident takes at most 30 s. The machine of the tests may be busy. */
const timeout = 90_000
const start = Date.UTC(2026, 0, 1)

function run(id: string, profile: Profile = '1.36'): Promise<LabResult> {
  const incident = incidents.find((one) => one.id === id)
  if (!incident) throw new Error(`no incident ${id}`)
  return runIncident(incident, { profile, start, dayfly: dayflyParts(), onEvidence: () => {} })
}

const failedClaims = ({ evidence }: LabResult) => evidence.filter(({ holds }) => !holds).map(({ claim }) => claim)

/** Returns the lines of the page's blocks of output, each below its command. */
function samplesIn(page: string): readonly (readonly string[])[] {
  return [...page.matchAll(/```text\n\$ ([\s\S]*?)\n```/g)].map(([, block = '']) => block.split('\n'))
}

test('has the five incidents and the four outages of the forge', () => {
  expect(incidents.map(({ code, id }) => `${code} ${id}`)).toEqual([
    'S0 zombie-pod',
    'S1 silent-rejection',
    'S2 podgc-loop',
    'S3 stuck-hook',
    'S4 stuck-uninstall',
    'F1 forge-assigns-nothing',
    'F2 forge-removes-idle',
    'F3 forge-queue-delayed',
    'F4 forge-fails-an-hour',
  ])
})

test.each(incidents.map(({ id }) => id))(
  '%s: is reproduced and its remedy holds, as its page shows',
  async (id) => {
    const result = await run(id)
    expect(failedClaims(result)).toEqual([])
    expect([result.reproduced, result.cured]).toEqual([true, true])
    const page = readFileSync(new URL(`../../docs/incidents/${id}.md`, import.meta.url), 'utf8')
    const samples = samplesIn(page)
    expect(samples.length).toBeGreaterThan(2)
    for (const [command = '', ...lines] of samples) {
      const shown = result.evidence.map((entry) => ({
        command: entry.command,
        output: entry.output.slice(0, lines.length),
      }))
      expect(shown).toContainEqual({ command, output: lines })
    }
    for (const sentence of incidents.find((one) => one.id === id)?.why ?? []) expect(page).toContain(`- ${sentence}`)
  },
  timeout,
)

test.each(Object.entries(knownDifferences))('%s: its page lists what differs on a real node', (id, known) => {
  const page = readFileSync(new URL(`../../docs/incidents/${id}.md`, import.meta.url), 'utf8')
  const [, section = ''] = /^## On a real node\n([\s\S]*?)^## /m.exec(page) ?? []
  const listed = section.split('\n').filter((line) => line.startsWith('- '))
  expect(listed).toEqual(known.map(({ sentence }) => `- ${sentence}`))
})

test(
  'does not claim that a sidecar is a remedy on 1.28, where the API server drops the field',
  async () => {
    const result = await run('zombie-pod', '1.28')
    expect([result.reproduced, result.cured]).toEqual([true, false])
  },
  timeout,
)

test.each(isFull ? (['1.29', '1.34'] as const) : (['1.29'] as const))(
  'reproduces the incident on an earlier profile alike: %s',
  async (profile) => {
    for (const id of ['silent-rejection', 'stuck-uninstall']) expect(failedClaims(await run(id, profile))).toEqual([])
  },
  timeout,
)

describe('the verdicts', () => {
  const entry = (part: Evidence['part'], holds: boolean): Evidence => {
    return { part, holds, claim: '', after: '', command: '', output: [] }
  }
  test('nothing is proved without evidence', () => {
    expect(verdictsOf([])).toEqual({ reproduced: false, cured: false })
    expect(verdictsOf([entry('incident', true)])).toEqual({ reproduced: true, cured: false })
    expect(verdictsOf([entry('remedy', true)])).toEqual({ reproduced: false, cured: true })
  })
  test('one observation that fails is enough to deny', () => {
    const good = [entry('incident', true), entry('remedy', true)]
    expect(verdictsOf([...good, entry('incident', false)])).toEqual({ reproduced: false, cured: true })
    expect(verdictsOf([...good, entry('remedy', false)])).toEqual({ reproduced: true, cured: false })
    // A wrong remedy that helps is no wrong remedy: the explanation would be false.
    expect(verdictsOf([...good, entry('wrong remedy', false)])).toEqual({ reproduced: false, cured: true })
  })
})

describe('dayfly lab', () => {
  let world: World
  beforeEach(() => {
    world = createWorld()
  })
  afterEach(() => world.end())

  test('lists the incidents', async () => {
    const { code, stdout } = await runHere(['lab'])
    expect(code).toBe(0)
    for (const { code: number, id, title } of incidents)
      expect(stdout).toMatch(new RegExp(`${number} +${id} +${title}`))
    const { stdout: json } = await runHere(['lab', '--json'])
    expect(JSON.parse(json)).toEqual({
      incidents: incidents.map(({ id, code: number, title }) => ({ id, code: number, title })),
    })
  })

  test.each([
    [['lab', 'zombi-pod'], /There is no incident "zombi-pod"[\s\S]*Did you mean "zombie-pod"\?/],
    [['lab', 'x'], /The incidents are: zombie-pod, silent-rejection/],
    [['lab', 'zombie-pod', '--profile', '1.28'], /1\.28[\s\S]*Did you mean "1\.29"\?/],
    [['lab', 'zombie-pod', '--kep'], /--keep/],
  ])('%j is refused with a next step', async (args, sentence) => {
    const { code, stderr } = await runHere(args)
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
  })

  test(
    'prints one JSON object with the evidence',
    async () => {
      const { code, stdout, stderr } = await runCli(['lab', 's4', '--json'])
      expect([code, stderr]).toEqual([0, ''])
      const result: LabResult = JSON.parse(stdout)
      expect(Object.keys(result).sort()).toEqual(['cured', 'evidence', 'incident', 'reproduced'])
      expect([result.incident, result.reproduced, result.cured]).toEqual(['stuck-uninstall', true, true])
    },
    timeout,
  )

  test(
    '--keep leaves the cluster with the incident up until it is interrupted, and removes its files then',
    async () => {
      const cli = world.start('lab', 'stuck-uninstall', '--keep')
      const file = await until('the kubeconfig', timeout, () => /KUBECONFIG=(\S+)/.exec(cli.stdout())?.[1])
      const text = readFileSync(file, 'utf8')
      const server = /server: (\S+)/.exec(text)?.[1] ?? ''
      const token = /token: "?([a-z0-9]+)/.exec(text)?.[1] ?? ''
      const sets = await get(`${server}/apis/actions.github.com/v1alpha1/autoscalingrunnersets`, token)
      expect(JSON.parse(sets)).toMatchObject({
        items: [{ metadata: { name: 'linux', deletionTimestamp: expect.any(String) } }],
      })
      cli.child.kill('SIGINT')
      expect(await cli.ended).toMatchObject({ code: 0 })
      expect(existsSync(file)).toBe(false)
    },
    timeout,
  )
})

function get(url: string, token: string): Promise<string> {
  const args = ['-sk', '-H', `Authorization: Bearer ${token}`, url]
  return new Promise((resolve, reject) => {
    execFile('curl', args, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}
