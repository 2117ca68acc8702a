import { describe, expect, it } from 'vitest'
import type { RunnerSet } from '../model/runner-set.ts'
import { networkEntries } from './network.ts'
import { buildPod, templateHash } from './pod.ts'
import { externalsContainer } from './runner-externals.ts'
import { runnerSet } from './world.fixture.ts'

type Container = {
  readonly name: string
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
  readonly volumeMounts: readonly object[]
}

const proxy = { url: 'http://proxy.acme.example:3128/', credentialsSecret: undefined, noProxy: ['.svc', '10.0.0.0/8'] }
const ca = { kind: 'config-map', name: 'acme-ca', key: 'root.pem' } as const
const setWith = (network: Partial<RunnerSet['network']>, more: Partial<RunnerSet> = {}) =>
  runnerSet({ network: { proxy: undefined, ca: undefined, ...network }, ...more })

/** Returns the containers that use the network. The one that copies programs does not. */
function containersOf(set: RunnerSet): readonly Container[] {
  const { containers, initContainers = [] } = buildPod(set, 'linux-1', '7').spec
  const all = [...(containers as Container[]), ...(initContainers as Container[])]
  return all.filter(({ name }) => name !== externalsContainer)
}

function environmentOf({ env }: Container): Readonly<Record<string, unknown>> {
  return Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]))
}

describe('the proxy of the runners', () => {
  it('is in the environment of the runner and of the Docker Engine, in both cases of letters', () => {
    const containers = containersOf(setWith({ proxy }, { docker: 'sidecar' }))
    expect(containers.map(({ name }) => name)).toEqual(['runner', 'docker'])
    for (const container of containers) {
      const environment = environmentOf(container)
      for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
        expect(environment[name]).toBe('http://proxy.acme.example:3128')
      for (const name of ['NO_PROXY', 'no_proxy'])
        expect(environment[name]).toBe('localhost,127.0.0.1,::1,.svc,10.0.0.0/8')
    }
  })

  it('has its login only in the Secret of the runner, escaped as a part of a URL', () => {
    const network = { proxy: { ...proxy, credentialsSecret: 'proxy-login' }, ca: undefined }
    const [runner] = containersOf(setWith(network))
    const fromSecret = { secretKeyRef: { name: 'linux-1', key: 'proxyUrl' } }
    expect(runner && environmentOf(runner)).toMatchObject({ HTTPS_PROXY: fromSecret, http_proxy: fromSecret })
    const login = { username: 'joe', password: 'p@ss/w:rd %' }
    expect(networkEntries(network, login)).toEqual({
      proxyUrl: 'http://joe:p%40ss%2Fw%3Ard%20%25@proxy.acme.example:3128',
    })
    expect(networkEntries(network, {})).toEqual({ proxyUrl: 'http://proxy.acme.example:3128' })
    expect(networkEntries({ proxy, ca: undefined }, login)).toEqual({})
  })

  it('gives way to a variable of the template', () => {
    const env = [{ name: 'HTTPS_PROXY', value: 'http://other:1' }]
    const [runner] = containersOf(setWith({ proxy }, { template: { spec: { containers: [{ name: 'runner', env }] } } }))
    expect(runner && environmentOf(runner)).toMatchObject({
      HTTPS_PROXY: 'http://other:1',
      NO_PROXY: expect.anything(),
    })
  })
})

it.each([
  [ca, { configMap: { name: 'acme-ca', items: [{ key: 'root.pem', path: 'ca.crt' }] } }],
  [
    { ...ca, kind: 'secret' } as const,
    { secret: { secretName: 'acme-ca', items: [{ key: 'root.pem', path: 'ca.crt' }] } },
  ],
])('mounts the certificates and names their file: %j', (source, volume) => {
  const set = setWith({ ca: source }, { docker: 'sidecar' })
  expect(buildPod(set, 'linux-1', '7').spec['volumes']).toContainEqual({ name: 'dayfly-ca', ...volume })
  for (const container of containersOf(set)) {
    expect(container.volumeMounts).toContainEqual({ name: 'dayfly-ca', mountPath: '/etc/dayfly/ca', readOnly: true })
    const file = '/etc/dayfly/ca/ca.crt'
    expect(environmentOf(container)).toMatchObject({ SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: file })
  }
})

it('another network is another template, and none changes nothing', () => {
  expect(templateHash(setWith({ proxy }))).not.toBe(templateHash(setWith({})))
  expect(JSON.stringify(buildPod(setWith({}), 'linux-1', '7'))).not.toMatch(/proxy|dayfly-ca/i)
})
