// The rules for pods, by version where they changed. The messages are Kubernetes' own: measured on kube-apiserver
// 1.36.3, or read in its source.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, test } from 'vitest'
import { createStore } from '../../../store/store.ts'
import type { Profile } from '../../api.ts'
import { createRegistry } from '../../create-registry.ts'
import { refusal } from '../../refusal.fixture.ts'
import type { Registry } from '../../registry.ts'

function registryOf(profile: Profile = '1.36'): Registry {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1), profile })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  return registry
}

type Json = Record<string, unknown>

function pod(spec: Json = {}, container: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p1', namespace: 'ci' },
    spec: { containers: [{ name: 'main', image: 'busybox:1', ...container }], ...spec },
  }
}

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

describe('a pod is refused for', () => {
  const rows: readonly (readonly [string, Json, string])[] = [
    ['no containers', pod({ containers: [] }), 'spec.containers: Required value'],
    ['no image', pod({}, { image: '' }), 'spec.containers[0].image: Required value'],
    [
      'a volumeMount without its volume',
      pod({}, { volumeMounts: [{ name: 'nope', mountPath: '/x' }] }),
      'spec.containers[0].volumeMounts[0].name: Not found: "nope"',
    ],
    [
      'three errors',
      pod({ restartPolicy: 'Sometimes' }, { name: 'Bad_Name', volumeMounts: [{ name: 'nope', mountPath: '/x' }] }),
      `[spec.containers[0].name: Invalid value: "Bad_Name": ${label}, spec.containers[0].volumeMounts[0].name: Not found: "nope", spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"]`,
    ],
    [
      'a mount path twice',
      pod(
        { volumes: [{ name: 'v', emptyDir: {} }] },
        {
          volumeMounts: [
            { name: 'v', mountPath: '/x' },
            { name: 'v', mountPath: '/x' },
          ],
        },
      ),
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique',
    ],
    [
      'a name twice',
      pod({
        containers: [
          { name: 'a', image: 'x' },
          { name: 'a', image: 'x' },
        ],
      }),
      'spec.containers[1].name: Duplicate value: "a"',
    ],
    [
      'an init container that is named as a container',
      pod({ initContainers: [{ name: 'main', image: 'x' }] }),
      'spec.initContainers[0].name: Duplicate value: "main"',
    ],
    [
      'a request above its limit',
      pod({}, { resources: { limits: { cpu: '1' }, requests: { cpu: '1500m' } } }),
      'spec.containers[0].resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1',
    ],
    [
      'a variable with a value and a source',
      pod({}, { env: [{ name: 'A', value: 'b', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ],
    [
      'a probe on a plain init container',
      pod({ initContainers: [{ name: 'i', image: 'x', startupProbe: { exec: { command: ['a'] } } }] }),
      'spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
    [
      'a probe without a handler',
      pod({}, { readinessProbe: {} }),
      'spec.containers[0].readinessProbe: Required value: must specify a handler type',
    ],
    [
      'a volume of two types',
      pod({ volumes: [{ name: 'v', emptyDir: {}, secret: { secretName: 's' } }] }),
      'spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type',
    ],
    [
      'an invalid label',
      { ...pod(), metadata: { name: 'p1', namespace: 'ci', labels: { a: 'b c' } } },
      `metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ]
  test.each(rows)('%s', (_, object, text) => {
    const status = refusal(() => registryOf().create('pods', object))
    expect(status.code).toBe(422)
    expect(status.message).toBe(`Pod "p1" is invalid: ${text}`)
  })

  test("a refusal has one cause for each error, with Kubernetes' field names", () => {
    const object = pod(
      { restartPolicy: 'Sometimes' },
      { name: 'Bad_Name', volumeMounts: [{ name: 'nope', mountPath: '/' }] },
    )
    const { details, reason } = refusal(() => registryOf().create('pods', object))
    expect(reason).toBe('Invalid')
    expect(details).toMatchObject({ kind: 'Pod', name: 'p1' })
    expect(details?.causes?.map((cause) => [cause.reason, cause.field])).toEqual([
      ['FieldValueInvalid', 'spec.containers[0].name'],
      ['FieldValueNotFound', 'spec.containers[0].volumeMounts[0].name'],
      ['FieldValueNotSupported', 'spec.restartPolicy'],
    ])
  })
})

describe('the restart policy of containers, by version', () => {
  const init = (restartPolicy: string) => pod({ initContainers: [{ name: 'dind', image: 'x', restartPolicy }] })
  const main = (restartPolicy: string) => pod({}, { restartPolicy })
  const kept = (object: Json, profile: Profile): unknown => {
    const spec = registryOf(profile).create('pods', object)['spec'] as {
      containers: { restartPolicy?: string }[]
      initContainers?: { restartPolicy?: string }[]
    }
    return (spec.initContainers ?? spec.containers)[0]?.restartPolicy
  }
  const unsupported = 'spec.initContainers[0].restartPolicy: Unsupported value: "OnFailure": supported values: "Always"'
  const forbidden = 'spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers'

  test.each(['1.29', '1.33'] as const)('%s refuses other policies', (profile) => {
    expect(kept(init('Always'), profile)).toBe('Always')
    const create = (object: Json) => refusal(() => registryOf(profile).create('pods', object)).message
    expect(create(init('OnFailure'))).toBe(`Pod "p1" is invalid: ${unsupported}`)
    expect(create(main('Never'))).toBe(`Pod "p1" is invalid: ${forbidden}`)
  })

  test('1.28 drops every policy of an init container without a warning', () => {
    for (const policy of ['Always', 'OnFailure', 'Never']) expect(kept(init(policy), '1.28')).toBeUndefined()
    expect(() => kept(main('Never'), '1.28')).toThrow(forbidden)
  })

  test('1.34 drops other policies without a warning', () => {
    expect(kept(init('Always'), '1.34')).toBe('Always')
    expect(kept(init('OnFailure'), '1.34')).toBeUndefined()
    expect(kept(main('Never'), '1.34')).toBeUndefined()
  })

  test.each(['1.35', '1.36'] as const)('%s accepts other policies', (profile) => {
    expect(kept(init('OnFailure'), profile)).toBe('OnFailure')
    expect(kept(main('Never'), profile)).toBe('Never')
    const wrong = refusal(() => registryOf(profile).create('pods', init('Sometimes'))).message
    expect(wrong).toContain('supported values: "Always", "Never", "OnFailure"')
  })
})

test('a pod gets its defaults', () => {
  const stored = registryOf().create('pods', pod({}, { resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }))
  expect(stored['spec']).toEqual({
    containers: [
      {
        name: 'main',
        image: 'busybox:1',
        imagePullPolicy: 'IfNotPresent',
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
    dnsPolicy: 'ClusterFirst',
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    serviceAccount: 'default',
    serviceAccountName: 'default',
    terminationGracePeriodSeconds: 30,
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  })
  expect(stored['status']).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' })
})

test('only images, the deadline and tolerations of an existing pod may change', () => {
  const registry = registryOf()
  const stored = registry.create('pods', pod())
  const change = (operations: readonly object[]) =>
    registry.patch('pods', { namespace: 'ci', name: 'p1' }, { type: 'json', body: operations })
  expect(stored.metadata.generation).toBe(1)
  const changed = change([
    { op: 'replace', path: '/spec/containers/0/image', value: 'busybox:2' },
    { op: 'add', path: '/spec/activeDeadlineSeconds', value: 60 },
    { op: 'add', path: '/spec/tolerations/-', value: { key: 'a', operator: 'Exists' } },
  ])
  expect(changed.metadata.generation).toBe(2)
  expect(refusal(() => change([{ op: 'replace', path: '/spec/activeDeadlineSeconds', value: 61 }])).message).toBe(
    'Pod "p1" is invalid: spec.activeDeadlineSeconds: Invalid value: 61: must be less than or equal to previous value',
  )
  const status = refusal(() => change([{ op: 'add', path: '/spec/hostname', value: 'other' }]))
  expect(status.message).toContain(
    'Pod "p1" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
  )
  expect(status.details?.causes?.[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'spec' })
})

test('a container that has ended may not be reported alive again, unless it may restart', () => {
  const ended = { containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 0 } } }] }
  const alive = { containerStatuses: [{ name: 'main', state: { running: {} } }] }
  const report = (restartPolicy: string) => {
    const registry = registryOf()
    const stored = registry.create('pods', pod({ restartPolicy }))
    const dead = registry.update('pods', { ...stored, status: ended }, { subresource: 'status' })
    registry.update('pods', { ...dead, status: alive }, { subresource: 'status' })
  }
  expect(() => report('Always')).not.toThrow()
  expect(refusal(() => report('Never')).message).toBe(
    'Pod "p1" is invalid: status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
  )
})

describe('a malformed pod', () => {
  const create = (object: Json, options = {}) => refusal(() => registryOf().create('pods', object, options))
  const handled = 'Pod in version "v1" cannot be handled as a Pod'

  test.each([
    [
      { terminationGracePeriodSeconds: 'x' },
      'string into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [{ containers: {} }, 'object into Go struct field PodSpec.spec.containers of type []v1.Container'],
    [{ containers: [{ name: 7 }] }, 'number into Go struct field Container.spec.containers.name of type string'],
    [{ restartPolicy: true }, 'bool into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy'],
    [{ nodeSelector: { a: 1 } }, 'number into Go struct field PodSpec.spec.nodeSelector of type string'],
    [{ securityContext: [] }, 'array into Go struct field PodSpec.spec.securityContext of type v1.PodSecurityContext'],
  ])('%j', (spec, text) => {
    const status = create(pod(spec))
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' })
    expect(status.message).toBe(`${handled}: json: cannot unmarshal ${text}`)
  })

  test('is refused if a quantity is invalid', () => {
    expect(create(pod({}, { resources: { limits: { cpu: 'much' } } })).message).toBe(
      `${handled}: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    )
  })

  test('causes warnings for unknown fields, or is refused if validation is strict', () => {
    const object = pod({ containerz: [] }, { imagee: 'x' })
    const warnings: string[] = []
    const stored = registryOf().create('pods', object, { warn: (warning) => warnings.push(warning) })
    expect(warnings).toEqual(['unknown field "spec.containers[0].imagee"', 'unknown field "spec.containerz"'])
    expect(stored['spec']).not.toHaveProperty('containerz')
    const strict = create(object, { fieldValidation: 'Strict' })
    expect(strict.code).toBe(400)
    expect(strict.message).toBe(
      `${handled}: strict decoding error: unknown field "spec.containers[0].imagee", unknown field "spec.containerz"`,
    )
  })
})

test('an admission plugin refuses with a 403 that states its reason', () => {
  const create = (spec: Json) => refusal(() => registryOf().create('pods', pod(spec)))
  expect(create({ serviceAccountName: 'ghost' })).toMatchObject({
    code: 403,
    message: 'pods "p1" is forbidden: error looking up service account ci/ghost: serviceaccount "ghost" not found',
    details: { name: 'p1', kind: 'pods' },
  })
  expect(create({ priorityClassName: 'ghost' }).message).toBe(
    'pods "p1" is forbidden: no PriorityClass with name ghost was found',
  )
  expect(create({ runtimeClassName: 'ghost' }).message).toBe(
    'pods "p1" is forbidden: pod rejected: RuntimeClass "ghost" not found',
  )
})
