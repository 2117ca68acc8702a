import { expect, it } from 'vitest'
import { hazardsOf, withoutRunner } from './template-rules.ts'

const runner = { name: 'runner', image: 'r' }
const hook = (...command: readonly string[]) => ({ lifecycle: { postStart: { exec: { command } } } })
const init = (container: object) => ({ initContainers: [{ name: 'i', ...container }], containers: [runner] })
const beside = (container: object) => ({ containers: [runner, { name: 'helper', ...container }] })

it.each<[string, object, string]>([
  [
    'a Docker daemon as a plain init container',
    init({ image: 'docker:27-dind' }),
    'spec.initContainers[0].restartPolicy:',
  ],
  ['the same by its command', init({ image: 'x', args: ['dockerd'] }), 'spec.initContainers[0].restartPolicy:'],
  [
    'the same by a word of its command',
    init({ command: ['sh', '-c'], args: ['exec dockerd'] }),
    'spec.initContainers[0].restartPolicy:',
  ],
  [
    'with restartPolicy OnFailure',
    init({ image: 'docker:dind', restartPolicy: 'OnFailure' }),
    'spec.initContainers[0].restartPolicy:',
  ],
  ['an init container that sleeps forever', init({ command: ['sleep', 'infinity'] }), 'spec.initContainers[0]:'],
  ['an init container that follows a file', init({ args: ['tail -f /dev/null'] }), 'spec.initContainers[0]:'],
  ['Docker beside the runner', beside({ image: 'docker:27-dind' }), 'spec.containers[1]:'],
  [
    'the same with options',
    beside({ image: 'docker:dind', args: ['--host=tcp://0.0.0.0:2375'] }),
    'spec.containers[1]:',
  ],
  [
    'the same from a mirror',
    beside({ image: 'registry.example:5000/docker:27-dind@sha256:00' }),
    'spec.containers[1]:',
  ],
  ['the same from an image named dind', beside({ image: 'registry.example/dind' }), 'spec.containers[1]:'],
  ['the same by its command', beside({ command: ['docker-init', '--', 'dockerd'] }), 'spec.containers[1]:'],
  ['a BuildKit daemon', beside({ command: ['/usr/bin/buildkitd'] }), 'spec.containers[1]:'],
  [
    'a hook in a shared PID namespace',
    { shareProcessNamespace: true, containers: [{ ...runner, ...hook('true') }] },
    'spec.containers[0].lifecycle.postStart:',
  ],
  [
    'a hook in the PID namespace of the node',
    { hostPID: true, ...init({ ...hook('true') }) },
    'spec.initContainers[0].lifecycle.postStart:',
  ],
  [
    'a hook that waits without a limit',
    { containers: [{ ...runner, ...hook('sh', '-c', 'until docker info; do sleep 1; done') }] },
    'spec.containers[0].lifecycle.postStart:',
  ],
])('is a hazard: %s', (_name, spec, path) => {
  const hazards = hazardsOf({ ...spec })
  expect(hazards).toEqual([{ reason: 'template-hangs', message: expect.stringContaining(path) }])
  expect(hazards[0]?.message).toMatch(/; .+/)
})

it.each<[string, object]>([
  ['a plain runner', { containers: [runner] }],
  ['a runner that is Docker itself', { containers: [{ ...runner, image: 'docker:dind' }] }],
  ['a runner with a helper that never ends', beside({ image: 'proxy', command: ['sleep', 'infinity'] })],
  ['Docker as a native sidecar', init({ image: 'docker:dind', restartPolicy: 'Always' })],
  ['the command line of Docker', beside({ image: 'docker:27-cli' })],
  ['a command in the image of Docker', beside({ image: 'docker:dind', command: ['docker', 'build', '.'] })],
  ['arguments that name another program', beside({ image: 'docker:dind', args: ['docker', 'version'] })],
  ['a daemon that only prints its version', init({ image: 'docker:dind', command: ['dockerd', '--version'] })],
  ['another init container', init({ image: 'busybox', command: ['true'] })],
  ['a hook in a namespace of its own', { containers: [{ ...runner, ...hook('true') }] }],
  [
    'a hook that waits with a limit',
    { containers: [{ ...runner, ...hook('timeout', '30', 'sh', '-c', 'until docker info; do sleep 1; done') }] },
  ],
  ['no containers', {}],
])('is no hazard: %s', (_name, spec) => {
  expect(hazardsOf({ ...spec })).toEqual([])
})

it('names every hazard of a template', () => {
  const both = { initContainers: [{ image: 'docker:dind' }], containers: [runner, { image: 'docker:dind' }] }
  expect(hazardsOf(both)).toHaveLength(2)
})

it('needs a container named runner', () => {
  expect(withoutRunner({ containers: [{ name: 'main' }] })).toMatchObject({ reason: 'template-invalid' })
  expect(withoutRunner({})).toMatchObject({ reason: 'template-invalid' })
  expect(withoutRunner({ containers: [{ name: 'helper' }, runner] })).toBeUndefined()
})
