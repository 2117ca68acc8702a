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
  ['the path alone', ['/script/watch.sh', '--fast'], { mountPath: '/script' }, [volume()]],
  ['an inline script that only starts it', ['sh', '-c', 'exec /script/watch.sh'], { mountPath: '/script' }, [volume()]],
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
