// Substitutions with a default, as Flux resolves them: what the rules judge, and where a fix may not write.
import { expect, it } from 'vitest'
import { decodeFiles, examine } from '../../engine/examine.ts'
import { fixFiles } from '../../fix/fixes.ts'
import { catalogue } from '../../rules/catalogue.ts'
import { decodeFile } from '../decode/decode.ts'
import type { DecodedFile } from '../decode/document.ts'

const specOf = (text: string) => {
  const { objects } = decodeFile({ path: 'a.yaml', text: `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n${text}` })
  return objects[0]?.value['spec']
}

it.each<[string, unknown]>([
  ['${image:=docker:27-dind}', 'docker:27-dind'],
  ['${image:-docker:27-dind}', 'docker:27-dind'],
  ['docker:${tag:=27}-${kind:-dind}', 'docker:27-dind'],
  ['${image:=${mirror:=docker.io}/docker:27-dind}', 'docker.io/docker:27-dind'],
  ['${count:=3}', 3],
  ['${port:=3}000', '3000'],
  ['${flag:=true}', true],
  ['${empty:=}', ''],
])('resolves %s', (written, value) => expect(specOf(`spec: {it: "${written}"}\n`)).toEqual({ it: value }))

it.each(['${image}', '$${image:=a', '${image:?unset}', '${my-image:=a}', '${image:=a'])('leaves %s as it is', (text) =>
  expect(specOf(`spec: {it: '${text}'}\n`)).toEqual({ it: text }),
)

it('leaves scripts, the words of lists and the contents of files as they are', () => {
  const text =
    'spec:\n  command: [sh, -c, "${a:=b}"]\n  data: {a: "${a:=b}"}\n  list: ["${a:=b}"]\n  it: |\n    ${a:=b}\n    c\n'
  expect(specOf(text)).toEqual({
    command: ['sh', '-c', '${a:=b}'],
    data: { a: '${a:=b}' },
    list: ['${a:=b}'],
    it: '${a:=b}\nc\n',
  })
})

it('resolves each part of a value with many aliases once', () => {
  const lines = ['spec:', '  a0: &a0 {it: "${a:=b}"}']
  for (let depth = 1; depth < 4; depth++) lines.push(`  a${depth}: &a${depth} [*a${depth - 1}, *a${depth - 1}]`)
  expect(specOf(`${lines.join('\n')}\n`)).toMatchObject({ a0: { it: 'b' }, a1: [{ it: 'b' }, { it: 'b' }] })
})

const runner = (image: string, policy: string) => `apiVersion: v1
kind: Pod
metadata: {name: runner}
spec:
  restartPolicy: Never
  initContainers:
    - name: docker
      image: ${image} # pinned
      restartPolicy: ${policy}
      volumeMounts: [{name: data, mountPath: /var/lib/docker}]
  containers:
    - {name: runner, image: 'ghcr.io/actions/actions-runner:2.329.0'}
  volumes: [{name: data, emptyDir: {sizeLimit: 9Gi}}]
`

function read(text: string) {
  const files = decodeFiles([{ path: 'a.yaml', text }])
  const findings = (now: readonly DecodedFile[]) =>
    examine(now, catalogue).findings.filter(({ rule }) => rule === 'daemon-as-blocking-init')
  return { lines: findings(files).map(({ place }) => place?.line), fixed: () => fixFiles(files, findings, () => true) }
}

it('lets a rule judge the default, and no fix write into the substitution', () => {
  const plain = read(runner('docker:27-dind', 'OnFailure'))
  expect(plain.lines).toEqual([9])
  expect(plain.fixed().applied).toHaveLength(1)
  const written = read(runner('${dind:=docker:27-dind}', '${policy:=OnFailure}'))
  expect(written.lines).toEqual([9])
  expect(written.fixed().refused.map(({ reason }) => reason)).toEqual(['a substitution writes the value'])
  expect(read(runner('${dind:=docker:27-cli}', '${policy:=OnFailure}')).lines).toEqual([])
  expect(read(runner('${dind:=docker:27-dind}', '${policy:=Always}')).lines).toEqual([])
})
