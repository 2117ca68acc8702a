import { valueAt } from '@dayfly/kit/read-json'
import { describe, expect, it } from 'vitest'
import { gatherFacts } from '../../engine/gather-facts.ts'
import { findMarkers, maskMarkers } from '../template/mask.ts'
import { filler, isUnknown } from '../template/template-value.ts'
import { indexLines, placeOf } from '../yaml/place.ts'
import { decodeFile } from './decode.ts'
import { refOf } from './object-ref.ts'

const pod = 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n  containers:\n    - name: x\n'
const json = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"x"}]}}'
const indented = (text: string, columns: number) => text.replace(/^(?=.)/gm, ' '.repeat(columns))

describe('finds objects in every wrapping', () => {
  const cases: { name: string; text: string; kinds: string[]; path?: string; line: number }[] = [
    { name: 'alone', text: pod, kinds: ['Pod'], line: 6 },
    { name: 'behind a byte order mark', text: `\uFEFF${pod}`, kinds: ['Pod'], line: 6 },
    { name: 'second of two documents', text: `# x\nkind: x\n---\n${pod}`, kinds: ['Pod'], line: 9 },
    { name: 'behind a directive and before an end', text: `%YAML 1.2\n---\n${pod}...\n`, kinds: ['Pod'], line: 8 },
    { name: 'in a List', text: `apiVersion: v1\nkind: List\nitems:\n-\n${indented(pod, 2)}`, kinds: ['Pod'], line: 10 },
    {
      name: 'as JSON',
      text: JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [{ name: 'x' }] } }),
      kinds: ['Pod'],
      line: 1,
    },
    {
      name: 'in a list that says their kind',
      text: 'apiVersion: v1\nkind: PodList\nitems:\n- metadata: { name: a }\n  spec:\n    containers:\n    - name: x\n',
      kinds: ['Pod'],
      line: 7,
    },
    {
      name: 'once, though kubectl remembers it in an annotation',
      text: `metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      ${json}\n${pod.replace(/metadata: .*\n/, '')}`,
      kinds: ['Pod'],
      line: 9,
    },
    {
      name: 'as JSON, folded over lines of a ConfigMap',
      text: `apiVersion: v1\nkind: ConfigMap\ndata:\n  a: >-\n    ${json.replaceAll(',', ',\n    ')}\n`,
      kinds: ['ConfigMap', 'Pod'],
      line: 4,
    },
    {
      name: 'in a ConfigMap',
      text: `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\ndata:\n  a: |-\n${indented(pod, 4)}`,
      kinds: ['ConfigMap', 'Pod'],
      line: 11,
    },
    {
      name: 'in a string in a string of values',
      text: `list:\n- |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: { name: c }\n  data:\n    a: |\n      # why\n\n${indented(pod, 6)}`,
      kinds: ['ConfigMap', 'Pod'],
      line: 15,
    },
    {
      name: 'in base64 of a Secret',
      text: `apiVersion: v1\nkind: Secret\ndata:\n  a: aGVsbG8=\n  b: ${Buffer.from(`# {{ x }}\n${pod}`).toString('base64')}\n`,
      kinds: ['Secret', 'Pod'],
      line: 5,
    },
    {
      name: 'in base64 over lines of a ConfigMap',
      text: `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\nbinaryData:\n  b: |\n${indented(
        Buffer.from(pod)
          .toString('base64')
          .replace(/(.{40})/g, '$1\n'),
        4,
      )}\n`,
      kinds: ['ConfigMap', 'Pod'],
      line: 5,
    },
    { name: 'in quotes', text: `a: ${JSON.stringify(pod)}\n`, kinds: ['Pod'], line: 1 },
    {
      name: 'as values of a chart',
      text: `extra:\n  - apiVersion: v1\n    kind: Pod\n    spec:\n      containers:\n        - name: x\n`,
      kinds: ['Pod'],
      line: 6,
    },
    { name: 'under statements of Jinja', text: `{% if x %}\n${pod}{% endif %}\n`, kinds: ['Pod'], line: 7 },
    {
      name: 'under statements at the left border in a string',
      text: `a: |\n{{- if .x }}\n${indented(pod, 2)}{{- end }}\n`,
      kinds: ['Pod'],
      line: 8,
    },
    { name: 'in a heredoc', path: 'a.tf', text: `x = <<-EOT\n${indented(pod, 2)}  EOT\n`, kinds: ['Pod'], line: 7 },
    { name: 'with CRLF', text: `a: |\n${indented(pod, 2)}`.replaceAll('\n', '\r\n'), kinds: ['Pod'], line: 7 },
  ]
  for (const { name, text, kinds, path, line } of cases) {
    it(name, () => {
      const { objects, skipped } = decodeFile({ path: path ?? 'a.yaml', text })
      expect(skipped).toEqual([])
      expect(objects.map(({ value }) => value['kind'])).toEqual(kinds)
      const last = objects.at(-1)!
      const place = placeOf(last, ['spec', 'containers', 0], indexLines(text))
      expect(place.line).toBe(line)
      if (last.document.readonlyBecause === undefined && !text.startsWith('{')) {
        expect(text.slice(place.start, place.end)).toBe('name: x')
      }
    })
  }

  it('reads the values of the runner chart as its runners, also below a dependency and in a release', () => {
    const values = 'githubConfigUrl: https://x\ntemplate:\n  spec:\n    containers:\n      - name: runner\n'
    const release = `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: { name: r }\nspec:\n  values:\n${indented(values, 4)}`
    for (const text of [values, `arc:\n${indented(values, 2)}`, release]) {
      const { objects } = decodeFile({ path: 'values.yaml', text })
      const { pods } = gatherFacts(objects)
      expect(pods.map(({ owner, runner, isRunner }) => [owner, runner, isRunner])).toEqual([['arc', 'runner', true]])
    }
  })

  it('reads values of the runner chart without a pod template, but not a schema of them', () => {
    const kinds = (text: string) => decodeFile({ path: 'values.yaml', text }).objects.map(({ kind }) => kind)
    const url = 'githubConfigUrl: https://github.com/acme\n'
    expect(kinds(`${url}githubConfigSecret: app\nminRunners: 1\n`)).toEqual(['values'])
    expect(kinds(`gha-runner-scale-set:\n  ${url}`)).toEqual(['values'])
    expect(kinds('runnerScaleSetName: builds\nmaxRunners: 10\n')).toEqual(['values'])
    expect(kinds('properties:\n  githubConfigUrl: {type: string}\n  minRunners: {type: integer}\n')).toEqual([])
    expect(kinds('gitlabUrl: https://gitlab.example\nminRunners: 1\n')).toEqual([])
  })
})

describe('reports the parts that it cannot read', () => {
  const bomb = `kind: x\na: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((key, at) => `${key}: &${key} [${`*${'abcdefgh'[at]},`.repeat(8)}]`).join('\n')}`
  const cases: { name: string; text: string; reason: RegExp }[] = [
    { name: 'no YAML', text: 'kind: [', reason: /not valid YAML/ },
    { name: 'binary', text: 'kind: \0', reason: /not text/ },
    { name: 'nothing of Kubernetes', text: 'a: 1\n', reason: /no manifest/ },
    { name: 'a bomb of aliases', text: bomb, reason: /alias/ },
    { name: 'an alias in itself', text: 'kind: x\na: &a [*a]\n', reason: /inside its own anchor/ },
    { name: 'too deep', text: `kind: ${'['.repeat(1000)}`, reason: /deeper/ },
    { name: 'lists in lists', text: `kind: x\na: ${'- '.repeat(1000)}`, reason: /deeper/ },
    { name: 'too many lines', text: `kind: x\n${'a: 1\n'.repeat(50_000)}`, reason: /more than/ },
    { name: 'a CRD', text: 'kind: CustomResourceDefinition\n', reason: /no rule reads it/ },
    { name: 'a string that is broken', text: 'a: |\n  kind: Pod\n  b: [\n', reason: /in a string/ },
  ]
  for (const { name, text, reason } of cases) {
    it(name, () => {
      const { objects, skipped } = decodeFile({ path: 'a.yaml', text })
      expect(objects).toEqual([])
      expect(skipped[0]?.reason).toMatch(reason)
    })
  }

  it('names broken YAML without a kind, and counts only what looks like a manifest as unexamined', () => {
    const skipped = (path: string, text: string) => decodeFile({ path, text }).skipped
    expect(skipped('a.yaml', 'apiVersion: v1\nmetadata: {name: x\nspec:\n')).toEqual([
      { file: 'a.yaml', line: 3, reason: expect.stringMatching(/^not valid YAML/) },
    ])
    expect(skipped('a.yaml', 'apiVersion: v1\n')).toMatchObject([{ reason: 'no manifest in it' }])
    expect(skipped('a.yaml', 'x: 1\n---\na: [\n  b\nc: 1\n')).toMatchObject([{ line: 5, intended: true }])
    expect(skipped('a.yml', 'image: {{ .Values.image }}\n{{- if x }}\nb: [\n')).toMatchObject([
      { reason: 'no manifest in it' },
    ])
    expect(skipped('tsconfig.json', '{ // a comment\n "a": [}')).toMatchObject([{ reason: 'no manifest in it' }])
  })

  it.each([
    ['a script', 'a: |\n  #!/bin/sh\n  apply <<EOF\n  kind: Pod\n  $MORE\n  EOF\n', 2],
    ['a page', 'README.md: |\n  # Pods\n  Write:\n  ```\n  kind: Pod\n  ```\n', 2],
    ['a step of a workflow', 'run: |\n  set -e\n  cat <<EOF | kubectl apply -f -\n  kind: Pod\n  EOF\n  a: b: c\n', 2],
    ['a patch', 'diff: |\n  @@ -1 +1 @@\n   kind: Pod\n  -a: [\n  +a:\n', 2],
    ['prose', 'a: |\n  Of each pod: say kind: Pod, and no more.\n', 2],
  ])('does not report %s in a string as unread', (_, text, line) => {
    const { skipped } = decodeFile({ path: 'a.yaml', text })
    expect(skipped).toEqual([
      { file: 'a.yaml', line, reason: expect.stringMatching(/^a script or a text/), intended: true },
    ])
  })

  it('takes a manifest with a script in it for a manifest', () => {
    const text = 'a: |\n  kind: Pod\n  command: cat <<EOF\n  args: [\n'
    expect(decodeFile({ path: 'a.yaml', text }).skipped).toMatchObject([
      { reason: expect.stringMatching(/not valid YAML/) },
    ])
  })

  it('leaves out a template of Terraform that is no YAML, unless its name says that it is', () => {
    const script = '#!/bin/sh\napply <<EOF\nkind: Pod\nEOF\nname: ${x}: [\n'
    expect(decodeFile({ path: 'user-data.tftpl', text: script }).skipped).toMatchObject([{ intended: true }])
    expect(decodeFile({ path: 'pod.yaml.tftpl', text: script }).skipped[0]).not.toHaveProperty('intended')
    const text = 'kind: Pod\napiVersion: v1\nmetadata:\n  name: a\n%{ if x ~}\nspec:\n  hostPID: ${pid}\n%{ endif ~}\n'
    for (const name of ['pod.tftpl', 'pod.yaml.tpl', 'pod.yaml']) {
      const { objects, skipped } = decodeFile({ path: name, text })
      expect(skipped).toEqual([])
      expect(objects.map(({ value }) => value['spec'])).toEqual([{ hostPID: filler.repeat(6) }])
    }
  })

  it('names the line of each part, without reading the text again', () => {
    const crd = 'kind: CustomResourceDefinition\n'
    const decode = (parts: number) => {
      let reads = 0
      const text = Array(parts).fill(crd).join('---\n')
      const file = {
        path: 'a.yaml',
        get text() {
          reads++
          return text
        },
      }
      return { lines: decodeFile(file).skipped.map(({ line }) => line), reads }
    }
    expect(decode(4).lines).toEqual([1, 2, 4, 6])
    expect(decode(400).reads).toBe(decode(2).reads)
  })

  it('reports a file without objects once', () => {
    const reasonsIn = (text: string) => decodeFile({ path: 'a.yaml', text }).skipped.map(({ reason }) => reason)
    // A pod as Jenkins reads it, and values of another chart.
    expect(reasonsIn('spec:\n  containers:\n    - name: x\n')).toEqual(['no Kubernetes object in it'])
    expect(reasonsIn('a: 1\n---\nkind: Pod\nspec: {}\n---\ncontainers: []\n')).toEqual(['no Kubernetes object in it'])
    expect(reasonsIn(`${pod}---\nkind: x\n`)).toEqual([])
  })
})

describe('markers', () => {
  it('are masked letter by letter, with blank lines for their further lines', () => {
    const text = 'a: {{ x }}\n  {%- if y %}\nb: "<%z%>Mi"\n{# two\n   lines #}\nc: {{ open\n'
    const masked = maskMarkers(text, findMarkers(text), 'comment')
    expect(masked).toBe(
      `a: ${filler.repeat(7)}\n  ###########\nb: "${filler.repeat(5)}Mi"\n######\n${' '.repeat(11)}\nc: {{ open\n`,
    )
    expect(maskMarkers(text, findMarkers(text), 'blank').length).toBe(text.length)
  })

  it('leave a value unknown, and a name as written', () => {
    const text = pod.replace('name: a', 'name: "a-<% id %>"').replace('name: x', 'name: {{ x }}')
    const [object] = decodeFile({ path: 'a.yaml', text }).objects
    expect(refOf(object!).name).toBe('a-<% id %>')
    expect(isUnknown(valueAt(object!.value, 'spec', 'containers', 0, 'name'))).toBe(true)
  })
})
