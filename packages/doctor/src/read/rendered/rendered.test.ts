import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from '../../engine/examine.ts'
import { namingRule } from '../../naming-rule.fixture.ts'
import { splitHelmOutput } from './helm-output.ts'
import { relocateByValue } from './kustomize-origin.ts'
import { markLines, readMarks } from './mark-lines.ts'
import { relocateByLine } from './relocate.ts'

const at = (file: string, line: number) => ({ file, line })

describe('marks', () => {
  it('are on lines that begin with a key or an entry as written, and on no other', () => {
    const template = [
      'a: 1',
      '- b: {{ .x }}',
      '  -',
      '{{ .only }}',
      'c: {{ .y -}}',
      '{{- /* d: 1',
      'e: 2 */}}',
      'text',
      '# f: 1',
      '---',
      'g: |\r',
    ]
    const marked = markLines(template.join('\n'), 3).split('\n')
    expect(marked.map((line, index) => (line === template[index] ? '' : line))).toEqual([
      'a: 1 #@dayfly:3:1@',
      '- b: {{ .x }} #@dayfly:3:2@',
      '  - #@dayfly:3:3@',
      ...['', '', '', '', '', '', ''],
      'g: | #@dayfly:3:11@\r',
    ])
  })

  it('prove a line only if the output is the same without them', () => {
    const marked = 'a: 1 #@dayfly:0:7@\nb: 2\nc: 4 #@dayfly:0:8@\nd: x #@dayfly:0:1@ #@dayfly:0:2@\ne: 1 #@dayfly:9:1@'
    expect(readMarks('a: 1\nb: 2\nc: 3\nd: x\ne: 1', marked, ['t.yaml'])).toEqual([
      at('t.yaml', 7),
      ...[undefined, undefined, undefined, undefined],
    ])
    expect(readMarks('a: 1', 'a: 1 #@dayfly:0:7@\nmore', ['t.yaml'])).toEqual([undefined])
  })
})

const names = namingRule((name) => ({ message: name, fix: { safety: 'safe', title: 'Fix', edits: [] } }))

const places = (findings: ReturnType<typeof examine>['findings']) =>
  findings.map(({ message, place }) => [message, place?.file, place?.line, place?.column])

describe('a finding in the output of helm', () => {
  const template = `kind: Pod
apiVersion: v1
metadata: { name: {{ .Release.Name }} }
spec:
  containers:
    {{- range .Values.names }}
    - name: {{ . }}
    {{- end }}
    - name: fixed
{{ toYaml .Values.more | indent 4 }}`
  const render = (text: (line: string, number: number) => string) =>
    [
      ['---', 0],
      ['# Source: c/templates/a.yaml', 0],
      ['kind: Pod', 1],
      ['apiVersion: v1', 2],
      ['metadata: { name: r }', 3],
      ['spec:', 4],
      ['  containers:', 5],
      ['    - name: x', 7],
      ['    - name: z', 7],
      ['    - name: fixed', 9],
      ['    - name: more', 0],
      ['', 0],
    ]
      .map(([line, number]) => text(String(line), Number(number)))
      .join('\n')
  const output = render((line) => line)
  const marked = render((line, number) => (number === 0 ? line : `${line} #@dayfly:0:${number}@`))
  const sources = [{ path: 'c/templates/a.yaml', text: template }]

  it('moves to the line of the template where the marks prove it, and has no fix', () => {
    const files = splitHelmOutput(output, marked, ['c/templates/a.yaml'])
    const { findings } = examine(decodeFiles(files), [names])
    const moved = findings.map(relocateByLine(files, sources))
    expect(places(moved)).toEqual([
      ['x', 'c/templates/a.yaml', 7, 5],
      ['z', 'c/templates/a.yaml', 7, 5],
      ['fixed', 'c/templates/a.yaml', 9, 7],
      ['more', 'c/templates/a.yaml (rendered by helm)', 11, 7],
    ])
    expect(moved.map(({ place }) => template.slice(place?.start, place?.end)).slice(0, 3)).toEqual([
      '- name: {{ . }}',
      '- name: {{ . }}',
      'name: fixed',
    ])
    expect(moved.every(({ fix }) => fix === undefined)).toBe(true)
  })

  it('stays in the output if the marked copy did not render, or differs', () => {
    for (const other of [undefined, `${marked}\nmore`]) {
      const files = splitHelmOutput(output, other, ['c/templates/a.yaml'])
      const { findings } = examine(decodeFiles(files), [names])
      expect(findings.map(relocateByLine(files, sources)).map(({ place }) => place?.file)).toEqual(
        Array(4).fill('c/templates/a.yaml (rendered by helm)'),
      )
    }
  })
})

describe('a finding in the output of kustomize', () => {
  const pod = (name: string, ...containers: string[]) =>
    `kind: Pod\napiVersion: v1\nmetadata:\n  name: ${name}\nspec:\n  containers:\n${containers.map((one) => `  - name: ${one}\n`).join('')}`
  const moved = (rendered: string, ...sources: string[]) => {
    const files = decodeFiles([{ path: 'out', text: rendered }])
    const decoded = decodeFiles(sources.map((text, index) => ({ path: `${index}.yaml`, text })))
    return places(examine(files, [names]).findings.map(relocateByValue(files, decoded)))
  }

  it('moves to the one object of the sources with the same value at the same path', () => {
    expect(moved(pod('a', 'x', 'z'), `# moved\n${pod('a', 'x', 'z')}`, pod('b', 'x'))).toEqual([
      ['x', '0.yaml', 8, 5],
      ['z', '0.yaml', 9, 5],
    ])
  })

  it.each([
    ['two objects have its name', pod('a', 'x'), [pod('a', 'x'), pod('a', 'x')]],
    ['no object has its name', pod('prefix-a', 'x'), [pod('a', 'x')]],
    ['the value differs', pod('a', 'patched'), [pod('a', 'x')]],
  ])('stays in the output if %s', (_, rendered, sources) => {
    expect(moved(rendered, ...sources).map(([, file]) => file)).toEqual(['out'])
  })

  it('stays in the output if a patch moved the entry to another place in its list', () => {
    expect(moved(pod('a', 'first', 'x'), pod('a', 'x')).map(([, file]) => file)).toEqual(['out', 'out'])
  })
})
