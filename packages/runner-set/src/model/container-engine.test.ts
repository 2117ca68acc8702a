import { expect, it } from 'vitest'
import { type Engine, engineOfImage, engineOfProgram, imageParts, namesDind } from './container-engine.ts'

it.each<[string, Engine | undefined]>([
  ['dockerd', 'docker'],
  ['/usr/local/bin/dockerd --host=unix:///var/run/docker.sock', 'docker'],
  ['dockerd-rootless.sh', 'docker'],
  ['dockerd-entrypoint.sh', 'docker'],
  ['dockerd-entrypoint.sh --tls=false', 'docker'],
  ['dockerd-entrypoint.sh dockerd', 'docker'],
  ['dockerd-entrypoint.sh docker version', undefined],
  ['dockerd --version', undefined],
  ['buildkitd --addr tcp://0.0.0.0:1234', 'buildkit'],
  ['buildkitd --help', undefined],
  ['podman system service --time=0 tcp:0.0.0.0:80', 'podman'],
  ['podman system service --time=5', undefined],
  ['podman run x', undefined],
  ['docker info', undefined],
  ['', undefined],
])('the program "%s" runs the daemon %s', (words, engine) => {
  expect(engineOfProgram(words === '' ? [] : words.split(' '))).toBe(engine)
})

it.each<[string | undefined, Engine | undefined]>([
  ['docker:27-dind', 'docker'],
  ['registry.example:5000/docker:27.3-dind-rootless@sha256:00', 'docker'],
  ['mirror/dind:1', 'docker'],
  ['docker-dind', 'docker'],
  ['moby/buildkit:latest', 'buildkit'],
  ['docker:27-cli', undefined],
  ['my-dind-runner:1', undefined],
  [undefined, undefined],
])('the image %s runs the daemon %s', (image, engine) => {
  expect(engineOfImage(image)).toBe(engine)
})

it('reads name and tag of an image, and whether they say Docker in Docker', () => {
  expect(imageParts('registry.example:5000/a/b:1-dind@sha256:00')).toEqual({ name: 'b', tag: '1-dind' })
  expect(imageParts('b')).toEqual({ name: 'b', tag: '' })
  expect(['27-dind', 'docker-in-docker', 'dind', 'dindle', 'mydind'].map(namesDind)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})
