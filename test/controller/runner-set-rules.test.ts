// The API server's rules for a RunnerSet and the controller's own checks say the same, in the same words.
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import { ApiError } from '@dayfly/cluster/api/errors'
import { createStore } from '@dayfly/cluster/store/store'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Json = Readonly<Record<string, unknown>>

const runnersets = 'runnersets.dayfly.dev'
const github = { url: 'https://github.com/acme', credentials: { secret: 'app' } }
const bitbucket = { url: 'https://bitbucket.org/acme', credentials: { secret: 'app' } }
const gitea = { url: 'https://gitea.example.com/acme', credentials: { secret: 'app' } }
const document = (spec: Json, name = 'linux') => ({
  apiVersion: 'dayfly.dev/v1alpha1',
  kind: 'RunnerSet',
  metadata: { name, namespace: 'ci' },
  spec,
})

function registry() {
  const server = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  server.create('namespaces', { metadata: { name: 'ci' } })
  server.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  return server
}

/** Its objects are only tried, so that the tests of this file share it. */
const shared = registry()
const tried = (object: ReturnType<typeof document>) => shared.create(runnersets, object, { dryRun: true })

/** Returns the causes of the API server's refusal as `path: message`; none if it accepts the object. */
function refusals(act: () => unknown): readonly string[] {
  try {
    act()
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
}

function problems(object: ReturnType<typeof document>): readonly string[] {
  const parsed = parseRunnerSet(object)
  return parsed.ok ? [] : parsed.problems.map(({ path, sentence }) => `${path}: ${sentence}`)
}

it('refuses a time zone that does not exist: only the controller knows the zones', () => {
  const schedule = [{ timeZone: 'Europe/Berlim', from: '07:30', to: '19:00', min: 1 }]
  expect(problems(document({ github, scale: { max: 1, schedule } }))).toEqual([
    'spec.scale.schedule.0.timeZone: no time zone is named "Europe/Berlim": write a name such as Europe/Berlin or UTC',
  ])
})

it.each<[string, Json, string]>([
  [
    'above max',
    { github, scale: { max: 1, schedule: [{ from: '07:30', to: '19:00', min: 2 }] } },
    'the min of a window is above max: lower it or raise max',
  ],
  [
    'of 0 at Bitbucket',
    { bitbucket, scale: { min: 1, max: 1, schedule: [{ from: '07:30', to: '19:00', min: 0 }] } },
    'Bitbucket fails a step without an online runner: set the min of each window to at least 1',
  ],
])('refuses a window with a min %s', (_, spec, sentence) => {
  const expected = [`spec.scale.schedule: ${sentence}`]
  expect(problems(document(spec))).toEqual(expected)
  expect(refusals(() => tried(document(spec))).join()).toContain(sentence)
})

describe('a template with containers', () => {
  const named = (...containers: readonly object[]) =>
    problems(document({ github, scale: { max: 1 }, template: { spec: { containers } } }))
  const refusal = (next: string) => [
    `spec.template.spec.containers: no container is named "runner", so a second, default runner would start beside these. ${next} "runner"`,
  ]
  it.each<[string, readonly object[], readonly string[]]>([
    ['one of another name', [{ name: 'main', image: 'host' }], refusal('If "main" is the runner, rename it to')],
    [
      'a runner behind a helper',
      [
        { name: 'proxy', image: 'envoy' },
        { name: 'work', image: 'ghcr.io/actions/actions-runner' },
      ],
      refusal('If "work" is the runner, rename it to'),
    ],
    ['a container without a name', [{ image: 'host' }], refusal('Name one of them')],
    ['a name in other letters', [{ name: 'Runner', image: 'x' }], refusal('If "Runner" is the runner, rename it to')],
    ['the runner beside a helper', [{ name: 'proxy', image: 'envoy' }, { name: 'runner' }], []],
    ['none, as the default has one', [], []],
  ])('names the runner: %s', (_, containers, expected) => expect(named(...containers)).toEqual(expected))
})

describe('the API server', () => {
  describe('an http URL', () => {
    const refused =
      /^spec\.(github|bitbucket|gitea)\.url: Invalid value: http:\/\/ would send the credentials in clear text/
    it.each([
      ['http://ghes.example/acme', true],
      ['HTTP://ghes.example/acme', true],
      ['//http://ghes.example/acme', true],
      ['http://10.0.0.7:8080/acme', true],
      ['http://localhost@evil.example/acme', true],
      ['http://localhost:80@evil.example/acme', true],
      ['http://127.0.0.1.evil.example/acme', true],
      ['http://localhost.evil.example/acme', true],
      ['http://notlocalhost/acme', true],
      ['http://2130706433/acme', true],
      ['http://localhost/acme', false],
      ['http://forge.localhost:3000/acme', false],
      ['http://127.0.0.1:8080/acme', false],
      ['http://127.8.9.10/acme', false],
      ['http://[::1]:8080/acme', false],
      ['https://ghes.example/acme', false],
    ])('%s is refused: %s, by the API server and by the parser', (url, isRefused) => {
      for (const forge of ['github', 'bitbucket', 'gitea']) {
        const set = (more: object) =>
          document({ [forge]: { url, credentials: { secret: 'app' }, ...more }, scale: { min: 1, max: 2 } })
        const found = [refusals(() => tried(set({}))), problems(set({}))]
        expect(found).toEqual(isRefused ? [[expect.stringMatching(refused)], [expect.any(String)]] : [[], []])
        expect(refusals(() => tried(set({ plainHttp: true })))).toEqual([])
        expect(problems(set({ plainHttp: true }))).toEqual([])
      }
    })
  })

  it.each<[string, Json, string]>([
    [
      'min above max',
      { github, scale: { min: 5, max: 1 } },
      'spec.scale.min: Invalid value: min is above max: lower min or raise max',
    ],
    ['no forge', { scale: { max: 1 } }, 'spec: Invalid value: set exactly one forge: github, bitbucket, gitea'],
    [
      'two forges',
      { github, bitbucket, scale: { min: 1, max: 1 } },
      'spec: Invalid value: set exactly one forge: github, bitbucket, gitea',
    ],
    [
      'three forges',
      { github, bitbucket, gitea, scale: { min: 1, max: 1 } },
      'spec: Invalid value: set exactly one forge: github, bitbucket, gitea',
    ],
    [
      'an image for the jobs of Gitea without a Docker Engine',
      { gitea: { ...gitea, jobImage: 'node:22' }, scale: { max: 1 } },
      'spec.gitea.jobImage: Invalid value: jobs run in an image only with a Docker Engine: set docker: sidecar or rootless, or remove jobImage',
    ],
    [
      'a label of Gitea with the image of its jobs',
      { gitea: { ...gitea, labels: ['Linux-X64', 'ubuntu:docker://node:22'] }, scale: { max: 1 } },
      'spec.gitea.labels[1]: Invalid value: "ubuntu:docker://node:22": spec.gitea.labels[1] in body should match \'^[^\\s:,]+$\'',
    ],
    [
      'a set of Bitbucket that may have no runner',
      { bitbucket, scale: { max: 1 } },
      'spec.scale.min: Invalid value: Bitbucket fails a step without an online runner: set min to at least 1, or max to 0',
    ],
    [
      'a strategy of Bitbucket at GitHub',
      { github, scale: { min: 1, max: 1, percentageRunnersIdle: {} } },
      'spec.scale.percentageRunnersIdle: Invalid value: only Bitbucket has this strategy: remove it, the other forges report their demand',
    ],
    [
      'two sources of a CA at Bitbucket',
      { bitbucket: { ...bitbucket, ca: { configMap: 'a', secret: 'b' } }, scale: { min: 1, max: 1 } },
      'spec.bitbucket.ca: Invalid value: set exactly one of configMap and secret',
    ],
    [
      'two sources of a CA',
      { github: { ...github, ca: { configMap: 'a', secret: 'b' } }, scale: { max: 1 } },
      'spec.github.ca: Invalid value: set exactly one of configMap and secret',
    ],
    [
      'no source of a CA',
      { github: { ...github, ca: {} }, scale: { max: 1 } },
      'spec.github.ca: Invalid value: set exactly one of configMap and secret',
    ],
    [
      'pods that are kept for days after their job',
      { github, scale: { max: 1 }, keepFinished: '24h1ms' },
      'spec.keepFinished: Invalid value: "24h1ms": the duration may not be longer than 24h',
    ],
    [
      'failed pods that are kept for more than a week',
      { github, scale: { max: 1 }, keepFailed: '169h' },
      'spec.keepFailed: Invalid value: "169h": the duration may not be longer than 168h',
    ],
    [
      'a life of no length',
      { github, scale: { max: 1 }, lifeMax: '0h' },
      'spec.lifeMax: Invalid value: "0h": the duration must be longer than 0s',
    ],
    [
      'a user name in the URL of a proxy',
      { github: { ...github, proxy: { url: 'http://me@proxy:3128' } }, scale: { max: 1 } },
      'spec.github.proxy.url: Invalid value: "http://me@proxy:3128": spec.github.proxy.url in body should match \'^https?:\\/\\/[^@/]+\\/?$\'',
    ],
  ])('refuses %s', (_name, spec, sentence) => {
    expect(refusals(() => tried(document(spec)))).toEqual([sentence])
  })

  it('refuses a name that is too long for a label', () => {
    const name = 'a'.repeat(64)
    const spec = { github, scale: { max: 1 } }
    expect(refusals(() => tried(document(spec, name)))).toContain(
      'metadata.name: Too long: may not be more than 63 bytes',
    )
    expect(parseRunnerSet(document(spec, name))).toMatchObject({ ok: false, problems: [{ path: 'metadata.name' }] })
  })

  it('names the field that a strategy of an earlier version had', () => {
    const scale = { min: 1, max: 1, percentageRunnersIdle: { mode: 'strict' } }
    const sentence = 'mode does not exist any more, because there is one way to scale: remove the field'
    const problems = [{ path: 'spec.scale.percentageRunnersIdle', sentence }]
    expect(parseRunnerSet(document({ bitbucket, scale }))).toEqual({ ok: false, problems })
    const other = { ...scale, percentageRunnersIdle: { other: 1 } }
    expect(JSON.stringify(parseRunnerSet(document({ bitbucket, scale: other })))).toContain('is not a field here')
  })

  it('refuses another URL for a set, and accepts every other change', () => {
    const server = registry()
    const stored = server.create(runnersets, document({ github, scale: { max: 1 } }))
    const other = { github: { ...github, url: 'https://github.com/other' }, scale: { max: 1 } }
    expect(refusals(() => server.update(runnersets, { ...stored, spec: other }))).toEqual([
      'spec.github.url: Invalid value: "https://github.com/other": the URL cannot change, because runners are registered there: delete the set and create it again',
    ])
    const changed = {
      github: { ...github, credentials: { secret: 'b' }, runnerGroup: 'g', labels: ['x'], ca: { secret: 'ca' } },
      scale: { min: 1, max: 2 },
      ...{ paused: true, docker: 'sidecar', templateChecks: 'warn', keepFailed: '1h', lifeMax: '1h' },
      template: { spec: { nodeSelector: { a: 'b' } } },
    }
    expect(refusals(() => server.update(runnersets, { ...stored, spec: changed }))).toEqual([])
  })

  it.each([
    ['Bitbucket', { github }, { bitbucket }],
    ['Gitea', { bitbucket }, { gitea }],
  ])('refuses another forge for a set: %s', (_, before, after) => {
    const server = registry()
    const stored = server.create(runnersets, document({ ...before, scale: { min: 1, max: 1 } }))
    const spec = { ...after, scale: { min: 1, max: 1 } }
    expect(refusals(() => server.update(runnersets, { ...stored, spec }))).toEqual([
      'spec: Invalid value: the forge cannot change, because runners are registered there: delete the set and create it again',
    ])
  })

  it('stores the defaults, so that every client shows them', () => {
    const { spec } = tried(document({ github: { ...github, ca: { secret: 'x' } }, scale: { max: 1 } }))
    expect(spec).toEqual({
      github: { ...github, ca: { secret: 'x', key: 'ca.crt' } },
      scale: { min: 0, max: 1 },
      paused: false,
      docker: 'none',
      jobs: 'host',
      templateChecks: 'enforce',
      keepFinished: '0s',
      keepFailed: '10m',
      startMax: '10m',
    })
  })
})

it.each([
  [{ docker: 'sidecar' }, []],
  [{ docker: 'rootless' }, []],
  [{ docker: 'none' }, ['this set has no Docker Engine: set docker: sidecar or rootless, or remove dockerEngine']],
  [{}, ['this set has no Docker Engine: set docker: sidecar or rootless, or remove dockerEngine']],
])('allows dockerEngine in a set that has an engine: %j', (docker, sentences) => {
  const written = document({ github, scale: { max: 1 }, ...docker, dockerEngine: { storage: { size: '5Gi' } } })
  expect(problems(written)).toEqual(sentences.map((sentence) => `spec.dockerEngine: ${sentence}`))
  expect(refusals(() => tried(written))).toEqual(
    sentences.map((sentence) => `spec.dockerEngine: Invalid value: ${sentence}`),
  )
})

it.each(['labels', 'annotations'])(
  'a value of %s without quotes is refused with its path, before any pod is',
  (kind) => {
    const template = { metadata: { [kind]: { 'karpenter.sh/do-not-disrupt': true } } }
    const written = document({ github, scale: { max: 1 }, template })
    expect(refusals(() => tried(written))[0]).toMatch(
      `spec.template.metadata.${kind}.karpenter.sh/do-not-disrupt in body must be of type string: "boolean"`,
    )
    expect(problems(written)).toEqual([expect.stringContaining('karpenter.sh/do-not-disrupt')])
  },
)

it.each<[string, object, string | undefined]>([
  ['the only container', { containers: [{ name: 'main' }] }, 'If "main" is the runner, rename it to "runner"'],
  [
    'the container with a runner image',
    {
      containers: [
        { name: 'docker', image: 'docker:27' },
        { name: 'main', image: 'ghcr.io/actions/actions-runner' },
      ],
    },
    'If "main" is the runner, rename it to "runner"',
  ],
  ['no container without a name', { containers: [{ image: 'x' }] }, 'Name one of them "runner"'],
  ['nothing, if a container is named runner', { containers: [{ name: 'main' }, { name: 'runner' }] }, undefined],
  ['nothing, if the template has no containers', { nodeSelector: {} }, undefined],
])('the controller refuses a template without the container runner, and names %s', (_name, spec, sentence) => {
  const parsed = parseRunnerSet({ metadata: { name: 'a' }, spec: { github, scale: { max: 1 }, template: { spec } } })
  const problem = { path: 'spec.template.spec.containers', sentence: expect.stringContaining(sentence ?? '') }
  expect(parsed).toMatchObject(sentence === undefined ? { ok: true } : { ok: false, problems: [problem] })
})

it('accepts a document exactly if the controller does, and refuses it in the same words', () => {
  const durations = fc.constantFrom('0s', '1ms', '10m', '24h', '23h59m60s1ms', '25h', '168h', '10080m1s', 'x', '1d')
  const count = fc.integer({ min: -1, max: 3 })
  const name = fc.constantFrom('a', 'a.b', 'A')
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const specs = fc.record(
    {
      github: fc.record(
        {
          url: fc.constantFrom('https://github.com/acme', ''),
          credentials: fc.record({ secret: name }),
          ca: fc.record({ configMap: optional(name), secret: optional(name), key: name }, { requiredKeys: [] }),
        },
        { requiredKeys: ['url', 'credentials'] },
      ),
      scale: fc.record({ min: count, max: count }, { requiredKeys: ['max'] }),
      keepFinished: durations,
      keepFailed: durations,
      lifeMax: durations,
      docker: fc.constantFrom('none', 'sidecar', 'rootless', 'dind'),
    },
    { requiredKeys: ['scale'] },
  )
  fc.assert(
    fc.property(specs, (drawn) => {
      const spec = JSON.parse(JSON.stringify(drawn))
      const refused = refusals(() => tried(document(spec)))
      const parsed = parseRunnerSet(document(spec))
      expect(refused.length > 0).toBe(!parsed.ok)
      if (parsed.ok) return
      const structural = refused.some((refusal) => !refusal.includes('Invalid value: ') || / in body /.test(refusal))
      if (structural) return
      for (const { path, sentence } of parsed.problems) {
        expect(refused).toContainEqual(expect.stringMatching(new RegExp(`^${path}: .*${sentence}$`)))
      }
    }),
    { numRuns: 300 },
  )
})
