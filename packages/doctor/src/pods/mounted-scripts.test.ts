import { expect, test } from 'vitest'
import type { ObjectFact } from '../facts.ts'
import { viewPods } from './pod-views.ts'

const loop = '#!/bin/sh\nwhile :; do date; sleep 10; done\n'

function fact(kind: string, name: string, raw: object, namespace?: string): ObjectFact {
  return { object: { apiVersion: 'v1', kind, namespace, name }, document: 0, raw: { ...raw } }
}

const script = fact('ConfigMap', 'helper', { data: { 'watch.sh': loop, other: 'exit 0' } })
const volume = (more: object = {}) => ({ name: 'script', configMap: { name: 'helper', ...more } })

function wordsOf(command: readonly string[], mount: object, volumes: readonly object[], maps = [script]) {
  const container = { name: 'watcher', image: 'alpine:3.20', command, volumeMounts: [{ name: 'script', ...mount }] }
  const pod = fact('Pod', 'p', { spec: { restartPolicy: 'Never', containers: [container], volumes } })
  return viewPods([...maps, pod])[0]?.containers[0]?.words
}

const read = ['sh', '-c', loop]

test.each([
  ['a shell and the path', ['/bin/sh', '/script/watch.sh'], { mountPath: '/script' }, [volume()]],
  ['a shell with flags', ['bash', '-eu', '/script/watch.sh'], { mountPath: '/script/' }, [volume()]],
  ['a starter', ['tini', '--', '/script/watch.sh'], { mountPath: '/script' }, [volume()]],
  ['the path alone', ['/script/watch.sh', '--fast'], { mountPath: '/script' }, [volume()]],
  ['a single file', ['/run.sh'], { mountPath: '/run.sh', subPath: 'watch.sh' }, [volume()]],
  [
    'a file with another name',
    ['/script/go'],
    { mountPath: '/script' },
    [volume({ items: [{ key: 'watch.sh', path: 'go' }] })],
  ],
  [
    'a projected volume',
    ['/script/watch.sh'],
    { mountPath: '/script' },
    [{ name: 'script', projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'helper' } }] } }],
  ],
])('%s is read as if the script were inline', (_how, command, mount, volumes) => {
  expect(wordsOf(command, mount, volumes)).toEqual(read)
})

test.each([
  ['exec /script/watch.sh'],
  ['. /script/watch.sh'],
  ['cd /script && ./watch.sh'],
  ['chmod +x /script/watch.sh; /script/watch.sh --fast &'],
  ['cp /script/watch.sh /tmp/ && sh /tmp/watch.sh'],
  ['if [ -n "$FAST" ]; then exec "bash" "/script/watch.sh"; fi'],
  ['sh /script/start.sh'],
])('%s in an inline script is read as if the script were in its place', (inline) => {
  const scripts = fact('ConfigMap', 'helper', { data: { 'watch.sh': loop, 'start.sh': 'exec /script/watch.sh' } })
  expect(wordsOf(['sh', '-c', inline], { mountPath: '/script' }, [volume()], [scripts])?.[2]).toContain(loop)
})

test.each([
  ['timeout 5 /script/watch.sh', loop],
  ['cat /script/watch.sh', loop],
  ['/script/watch.sh', '#!/usr/bin/env python3\nprint(1)\n'],
  ['exec $DIR/watch.sh', loop],
])('%s stays as it is', (inline, text) => {
  const scripts = fact('ConfigMap', 'helper', { data: { 'watch.sh': text } })
  expect(wordsOf(['sh', '-c', inline], { mountPath: '/script' }, [volume()], [scripts])?.[2]).toBe(inline)
})

test('scripts that start each other end', () => {
  const scripts = fact('ConfigMap', 'helper', { data: { 'watch.sh': '/script/watch.sh\n'.repeat(500) } })
  const words = wordsOf(['sh', '/script/watch.sh'], { mountPath: '/script' }, [volume()], [scripts])
  expect(words?.[2]?.length).toBeLessThan(400_000)
})

test.each([
  ['the input does not have the ConfigMap', ['/script/watch.sh'], { mountPath: '/script' }, [volume()], []],
  ['the ConfigMap lacks the key', ['/script/none.sh'], { mountPath: '/script' }, [volume()], [script]],
  ['another folder holds the file', ['/bin/watch.sh'], { mountPath: '/script' }, [volume()], [script]],
  [
    'two ConfigMaps of that name differ',
    ['/script/watch.sh'],
    { mountPath: '/script' },
    [volume()],
    [script, fact('ConfigMap', 'helper', { data: { 'watch.sh': 'exit 0' } })],
  ],
  [
    'items do not list the key',
    ['/script/watch.sh'],
    { mountPath: '/script' },
    [volume({ items: [{ key: 'other', path: 'other' }] })],
    [script],
  ],
])('the command stays as it is when %s', (_why, command, mount, volumes, maps) => {
  expect(wordsOf(command, mount, volumes, maps)).toEqual(command)
})
