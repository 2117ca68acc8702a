// Pod Security on a real API server and on the embedded one: the same pods are refused, in the same words and with the same warnings.
import { systemClock } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embeddedKubernetes } from '../cluster/embedded-kubernetes.ts'
import { createPlace, eventually, namespaces, object, pods, quotas } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'

type Json = Readonly<Record<string, unknown>>

const accounts: Resource = { ...quotas, plural: 'serviceaccounts', kind: 'ServiceAccount' }
const jobs: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }
const safe = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
const container = (securityContext: Json = {}, more: Json = {}) => ({ name: 'a', image: 'x', securityContext, ...more })
const one = (securityContext: Json = {}, more: Json = {}) => ({ containers: [container(securityContext, more)] })

const specs: readonly (readonly [string, Json])[] = [
  ['a plain container', one()],
  ['a safe container', one(safe)],
  [
    'two containers and an init container',
    { ...one(), initContainers: [{ name: 'i', image: 'x' }], containers: [container(), { name: 'b', image: 'x' }] },
  ],
  [
    'a Docker sidecar',
    {
      initContainers: [
        { name: 'docker', image: 'docker:27-dind', restartPolicy: 'Always', securityContext: { privileged: true } },
      ],
      ...one(safe),
    },
  ],
  ['namespaces of the host', { hostNetwork: true, hostPID: true, hostIPC: true, ...one(safe) }],
  [
    'a port of the host',
    one(safe, {
      ports: [
        { containerPort: 80, hostPort: 8080 },
        { containerPort: 81, hostPort: 8081 },
      ],
    }),
  ],
  [
    'a folder of the host',
    {
      ...one(safe),
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'n', nfs: { server: 's', path: '/' } },
      ],
    },
  ],
  ['capabilities', one({ ...safe, capabilities: { drop: ['ALL'], add: ['SYS_ADMIN', 'NET_BIND_SERVICE', 'CHOWN'] } })],
  [
    'a user of its own',
    { securityContext: { runAsUser: 0, runAsNonRoot: false }, ...one({ ...safe, runAsNonRoot: undefined }) },
  ],
  ['no seccomp', one({ ...safe, seccompProfile: { type: 'Unconfined' } })],
  [
    'seccomp of the pod',
    {
      securityContext: { seccompProfile: { type: 'RuntimeDefault' }, runAsNonRoot: true },
      ...one({ ...safe, seccompProfile: undefined, runAsNonRoot: undefined }),
    },
  ],
  ['SELinux', one({ ...safe, seLinuxOptions: { type: 'spc_t', user: 'u' } })],
  ['AppArmor', { securityContext: { appArmorProfile: { type: 'Unconfined' } }, ...one(safe) }],
  [
    'sysctls',
    {
      securityContext: {
        sysctls: [
          { name: 'kernel.msgmax', value: '1' },
          { name: 'net.ipv4.tcp_syncookies', value: '1' },
        ],
      },
      ...one(safe),
    },
  ],
  ['users of the pod', { hostUsers: false, ...one({ runAsUser: 0 }) }],
]

const file = kubeconfig
if (file) describe('Pod Security', () => suite(file))
else describe('Pod Security', () => it('on a real API server', (context) => context.skip(whyNone)))

function suite(file: string): void {
  const place = createPlace(async () => connect(await loadKubeconfig(file), systemClock()))
  const { kubernetes, namespace, run } = place
  const levels = ['baseline', 'restricted', 'warn'] as const
  const nameOf = (level: string) => `${namespace}-${level}`
  const labelsOf = (level: string) => ({
    [`pod-security.kubernetes.io/${level === 'warn' ? 'warn' : 'enforce'}`]: level === 'warn' ? 'restricted' : level,
  })
  beforeAll(async () => {
    for (const level of levels) {
      const name = nameOf(level)
      await kubernetes.create(namespaces, object('v1', 'Namespace', { name, labels: { run, ...labelsOf(level) } }))
      await eventually('the namespace has its ServiceAccount', () =>
        kubernetes.get(accounts, { namespace: name, name: 'default' }),
      )
    }
  })
  afterAll(async () => {
    for (const level of levels) await kubernetes.delete(namespaces, { name: nameOf(level) })
  })
  const embedded = async (level: string) => {
    const client = embeddedKubernetes('other')
    await client.create(namespaces, object('v1', 'Namespace', { name: nameOf(level), labels: labelsOf(level) }))
    return client
  }

  it.each(levels.flatMap((level) => specs.map(([name, spec]) => [level, name, spec] as const)))(
    'judges as the embedded API server does at the level %s: %s',
    async (level, _name, spec) => {
      const pod = object('v1', 'Pod', { name: 'p', namespace: nameOf(level) }, { spec })
      const template = { template: { spec: { ...spec, restartPolicy: 'Never' } } }
      const job = object('batch/v1', 'Job', { name: 'j', namespace: nameOf(level) }, { spec: template })
      const answers = async (client: Kubernetes) => [await answer(client, pods, pod), await answer(client, jobs, job)]
      expect(await answers(await embedded(level))).toEqual(await answers(kubernetes))
    },
  )
}

/** Returns the sentence of the refusal, or the warnings. */
async function answer(client: Kubernetes, ...[resource, body]: Parameters<Kubernetes['create']>): Promise<unknown> {
  try {
    return (await client.create(resource, body, { dryRun: true })).warnings
  } catch (error) {
    if (error instanceof KubernetesError) return error.message
    throw error
  }
}
