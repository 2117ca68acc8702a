import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { rootlessStart } from './docker-rootless.ts'
import { buildPod } from './pod.ts'
import { templateVerdict, trialPod } from './template.ts'
import { hazardsOf } from './template-rules.ts'
import { now, runnerSet } from './world.fixture.ts'

type Spec = Readonly<Record<string, unknown>>
type Engine = Spec & { readonly securityContext: Spec; readonly command: readonly string[] }

function podOf(docker: 'sidecar' | 'rootless', spec: Spec = {}) {
  const pod = buildPod(runnerSet({ docker, template: { spec } }), 'a', '1').spec
  const [engine, ...others] = pod['initContainers'] as readonly [Engine, ...Spec[]]
  return { pod, engine, others }
}

it('gives the engine the user namespace of its pod, two capabilities in it, and no privilege', () => {
  const { pod, engine } = podOf('rootless')
  expect(pod['hostUsers']).toBe(false)
  expect(engine.securityContext).toEqual({
    capabilities: { add: ['SYS_ADMIN', 'NET_ADMIN'] },
    procMount: 'Unmasked',
    seccompProfile: { type: 'Unconfined' },
    appArmorProfile: { type: 'Unconfined' },
  })
  expect(JSON.stringify(pod)).not.toContain('privileged')
  expect(hazardsOf(pod)).toEqual([])
})

it('differs from the privileged engine in the start, the security context and the user namespace alone', () => {
  const without = ({ pod, engine, others }: ReturnType<typeof podOf>) => {
    const { command: _, securityContext: __, ...same } = engine
    const { hostUsers: ___, initContainers: ____, ...rest } = pod
    return { same, others, rest }
  }
  expect(without(podOf('rootless'))).toEqual(without(podOf('sidecar')))
})

it('takes an image and a limit from a container named docker of the template', () => {
  const docker = { name: 'docker', image: 'registry.example/docker:29-dind', resources: { limits: { memory: '8Gi' } } }
  const { pod, engine } = podOf('rootless', { containers: [{ name: 'runner' }, docker] })
  expect(engine).toMatchObject({ ...docker, restartPolicy: 'Always', securityContext: { procMount: 'Unmasked' } })
  expect(pod['containers']).toHaveLength(1)
})

it('starts no engine with capabilities outside a user namespace: an API server that drops the one drops /proc, too', () => {
  const set = runnerSet({ docker: 'rootless' })
  const { hostUsers: _, initContainers, ...spec } = trialPod(set).spec
  const [engine, ...others] = initContainers as readonly [Engine, ...Spec[]]
  const { procMount: __, ...securityContext } = engine.securityContext
  const stored = { ...spec, initContainers: [{ ...engine, securityContext }, ...others] }
  expect(templateVerdict(set, 'h', stored, now)).toMatchObject({
    is: 'refused',
    failure: {
      reason: 'template-changed',
      message:
        'spec.initContainers[0].securityContext.procMount was dropped or changed: pods with user namespaces need Kubernetes 1.33 or later',
    },
  })
})

it('runs each container of the engine without a control group', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rootless-'))
  const program = (name: string, script: string) =>
    writeFileSync(path.join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  try {
    for (const name of ['bin', 'bundle']) mkdirSync(path.join(folder, name))
    const configuration = path.join(folder, 'bundle/config.json')
    const linux = (cgroupsPath: string) => JSON.stringify({ linux: { cgroupsPath, namespaces: [{ type: 'pid' }] } })
    writeFileSync(configuration, linux('/docker/0123'))
    program('runc', 'echo "real runc: $*"')
    // The engine runs `runc` as it finds it.
    program('docker-init', 'shift; runc create --bundle "$@"')
    const start = rootlessStart.replaceAll('/tmp/dayfly', path.join(folder, 'own'))
    const PATH = `${folder}/bin:${process.env['PATH']}`
    const printed = execFileSync('/bin/sh', ['-c', start, 'docker', `${folder}/bundle`, 'a b'], { env: { PATH } })
    expect(String(printed)).toBe(`real runc: create --bundle ${folder}/bundle a b\n`)
    expect(readFileSync(configuration, 'utf8')).toBe(linux(''))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
