import { describe, expect, it } from 'vitest'
import { decodeFiles } from '../engine/examine.ts'
import type { Edit, Finding } from '../finding.ts'
import type { DecodedFile } from '../read/decode/document.ts'
import { fixFiles } from './fixes.ts'

const job = `apiVersion: batch/v1
kind: Job
metadata:
  name: a # the name
spec:
  # how often
  backoffLimit: 6
  template:
    spec:
      restartPolicy: "OnFailure"
      containers:
        # does the work
        - name: runner
          image: runner
        # the daemon
        - name: docker
          image: docker:dind # pinned elsewhere
          args: [dockerd, --debug]
`
const toSidecar: Edit = {
  do: 'move',
  from: ['spec', 'template', 'spec', 'containers', 1],
  to: ['spec', 'template', 'spec', 'initContainers'],
  after: 'containers',
  set: { restartPolicy: 'Always' },
}

describe('a fix changes the right part of the text', () => {
  const cases: { name: string; text: string; edits: Edit[]; diff: string[]; object?: number; path?: string }[] = [
    {
      name: 'sets a scalar and keeps its quotes',
      text: job,
      edits: [{ do: 'set', path: ['spec', 'template', 'spec', 'restartPolicy'], value: 'Never' }],
      diff: ['-      restartPolicy: "OnFailure"', '+      restartPolicy: "Never"'],
    },
    {
      name: 'adds a key at the end of its mapping',
      text: job,
      edits: [{ do: 'set', path: ['spec', 'ttlSecondsAfterFinished'], value: 600 }],
      diff: ['+  ttlSecondsAfterFinished: 600'],
    },
    {
      name: 'adds a key behind another',
      text: job,
      edits: [{ do: 'set', path: ['spec', 'ttlSecondsAfterFinished'], value: 600, after: 'backoffLimit' }],
      diff: ['+  ttlSecondsAfterFinished: 600'],
    },
    {
      name: 'adds a key before a condition at the end of its mapping',
      text: `${job.replace('spec:', 'spec:\n  parallelism: 1\n  {{- if .x }}').replace('  template', '  {{- end }}\n{{- if .y }}\n  template')}{{- end }}\n`,
      edits: [{ do: 'set', path: ['spec', 'ttlSecondsAfterFinished'], value: 600 }],
      diff: ['+  ttlSecondsAfterFinished: 600'],
    },
    {
      name: 'adds what is missing in between, with words that need quotes',
      text: job,
      edits: [{ do: 'set', path: ['metadata', 'annotations', 'x/safe'], value: 'false' }],
      diff: ['+  annotations:', '+    x/safe: "false"'],
    },
    {
      name: 'removes a key',
      text: job,
      edits: [{ do: 'remove', path: ['spec', 'backoffLimit'] }],
      diff: ['-  backoffLimit: 6'],
    },
    {
      name: 'removes the first key of an entry',
      text: job,
      edits: [{ do: 'remove', path: ['spec', 'template', 'spec', 'containers', 0, 'name'] }],
      diff: ['-        - name: runner', '-          image: runner', '+        - image: runner'],
    },
    {
      name: 'moves an entry with its comment and adds two lines',
      text: job,
      edits: [toSidecar],
      diff: ['+      initContainers:', '+          restartPolicy: Always'],
    },
    {
      name: 'moves with CRLF line ends and no last line end',
      text: job.replaceAll('\n', '\r\n').trimEnd(),
      edits: [toSidecar],
      diff: ['+      initContainers:', '+          restartPolicy: Always'],
    },
    {
      name: 'moves behind the entries that are there',
      text: job.replace(
        '      containers:',
        '      initContainers:\n      - name: init\n        image: i\n      containers:',
      ),
      edits: [toSidecar],
      diff: [
        '+      # the daemon',
        '+      - name: docker',
        '+        image: docker:dind # pinned elsewhere',
        '+        restartPolicy: Always',
        '+        args: [dockerd, --debug]',
        '-        # the daemon',
        '-        - name: docker',
        '-          image: docker:dind # pinned elsewhere',
        '-          args: [dockerd, --debug]',
      ],
    },
    {
      name: 'adds to flow style on one line',
      text: 'apiVersion: batch/v1\nkind: Job\nmetadata: {}\nspec: { backoffLimit: 6, template: { spec: {} } } # x\n',
      edits: [
        { do: 'set', path: ['spec', 'ttl'], value: 5 },
        { do: 'set', path: ['metadata', 'annotations'], value: { a: 'b' } },
        { do: 'remove', path: ['spec', 'backoffLimit'] },
      ],
      diff: [
        '-metadata: {}',
        '-spec: { backoffLimit: 6, template: { spec: {} } } # x',
        '+metadata: {"annotations":{"a":"b"}}',
        '+spec: { template: { spec: {} }, "ttl":5 } # x',
      ],
    },
    {
      name: 'appends to a list',
      text: job,
      edits: [{ do: 'set', path: ['spec', 'template', 'spec', 'containers', 2], value: { name: 'x', image: 'z' } }],
      diff: ['+        - name: x', '+          image: z'],
    },
    {
      name: 'edits the second of several documents, of a List, in a string, under a template',
      text: `kind: ConfigMap\napiVersion: v1\ndata:\n  job.yaml: |\n    {%- if a %}\n    x: 1\n    {%- endif %}\n    kind: List\n    apiVersion: v1\n    items:\n    -\n${job.replace('name: a', 'name: a-<% uuid %>').replace(/^(?=.)/gm, '      ')}  other: |\n    kind: x\n`,
      object: 1,
      edits: [toSidecar],
      diff: ['+            initContainers:', '+                restartPolicy: Always'],
    },
    {
      name: 'edits a heredoc of Terraform',
      path: 'main.tf',
      text: `resource "x" "y" {\n  yaml = <<-EOT\n${job.replace('name: a', 'name: ${var.a}').replace(/^(?=.)/gm, '    ')}  EOT\n}\n`,
      edits: [toSidecar],
      diff: ['+          initContainers:', '+              restartPolicy: Always'],
    },
  ]
  for (const { name, text, edits, diff, object, path } of cases) {
    it(name, () => {
      const { after, refused } = fix(text, edits, { object: object ?? 0, path: path ?? 'a.yaml' })
      expect(refused).toEqual([])
      expect(after.includes('\r\n')).toBe(text.includes('\r\n'))
      expect(difference(text, after)).toEqual([...diff].sort())
      expect(
        fix(
          after,
          edits.filter(({ do: verb }) => verb === 'set'),
          { object: object ?? 0, path: path ?? 'a.yaml' },
        ).after,
      ).toBe(after)
    })
  }
})

describe('an uncertain fix is refused with its reason', () => {
  const set: Edit = { do: 'set', path: ['spec', 'ttl'], value: 5 }
  const head = 'apiVersion: batch/v1\nkind: Job\n'
  const cases: { name: string; text: string; edit: Edit; reason: RegExp; path?: string }[] = [
    { name: 'anchor', text: `${head}spec: &x\n  a: 1\nother: *x\n`, edit: set, reason: /anchor/ },
    { name: 'alias', text: `${head}other: &x\n  a: 1\nspec: *x\n`, edit: set, reason: /alias/ },
    { name: 'merge key', text: `${head}other: &x\n  a: 1\nspec:\n  <<: *x\n  b: 2\n`, edit: set, reason: /merge key/ },
    { name: 'tag', text: `${head}spec: !!map\n  a: 1\n`, edit: set, reason: /tag/ },
    { name: 'repeated key', text: `${head}spec:\n  ttl: 1\n  ttl: 2\n`, edit: set, reason: /repeated/ },
    { name: 'flow over lines', text: `${head}spec: {\n  a: 1 }\n`, edit: set, reason: /several lines/ },
    {
      name: 'JSON',
      text: `{\n  "apiVersion": "v1", "kind": "Job",\n  "spec": {\n    "a": 1\n  }\n}\n`,
      edit: set,
      reason: /several lines/,
    },
    { name: 'mixed line ends', text: `${head}spec:\r\n  a: 1\n`, edit: set, reason: /mixes/ },
    { name: 'computed value', text: `${head}spec:\n  ttl: {{ .Values.ttl }}\n`, edit: set, reason: /computes/ },
    {
      name: 'condition',
      text: `${head}spec:\n  {{- if .x }}\n  a: 1\n  {{- else }}\n  b: 1\n  {{- end }}\n  c: 1\n`,
      edit: set,
      reason: /statement/,
    },
    {
      name: 'condition in a template of Terraform',
      path: 'a.yaml.tftpl',
      text: `${head}spec:\n  %{ if x }\n  a: 1\n  %{ else }\n  b: 1\n  %{ endif }\n  c: 1\n`,
      edit: set,
      reason: /statement/,
    },
    {
      name: 'printed lines',
      text: `${head}spec:\n  b:\n    {{- toYaml .x | nindent 4 }}\n`,
      edit: set,
      reason: /prints|empty/,
    },
    {
      name: 'only entry',
      text: `${head}spec:\n  a: 1\n`,
      edit: { do: 'remove', path: ['spec', 'a'] },
      reason: /become empty/,
    },
    {
      name: 'string in quotes',
      text: 'x: "kind: Job\\napiVersion: v1\\nspec:\\n  a: 1\\n"\n',
      edit: set,
      reason: /literal block/,
    },
  ]
  for (const { name, text, edit, reason, path } of cases) {
    it(name, () => {
      const { after, refused } = fix(text, [edit], { object: 0, path: path ?? 'a.yaml' })
      expect(after).toBe(text)
      expect(refused[0]?.reason).toMatch(reason)
    })
  }

  it('applies the second of two fixes at one place in the next pass', () => {
    const files = decodeFiles([{ path: 'a.yaml', text: job }])
    const findings = (now: readonly DecodedFile[]): Finding[] => {
      const spec = now[0]?.objects[0]?.value['spec'] as Record<string, unknown>
      return ['v', 'w'].flatMap((key) =>
        key in spec ? [] : [finding([{ do: 'set', path: ['spec', key], value: 1 }], 0, key)],
      )
    }
    const result = fixFiles(files, findings, () => true)
    expect(result.applied).toHaveLength(2)
    expect(difference(job, result.changed[0]?.after.text ?? '')).toEqual(['+  v: 1', '+  w: 1'])
  })
})

function fix(text: string, edits: Edit[], { object, path } = { object: 0, path: 'a.yaml' }) {
  const files = decodeFiles([{ path, text }])
  let asked = 0
  const result = fixFiles(
    files,
    () => (asked++ === 0 ? [finding(edits, object, path)] : []),
    () => true,
  )
  return { after: result.files[0]?.file.text ?? '', refused: result.refused }
}

function finding(edits: Edit[], document: number, message: string): Finding {
  const file = message.includes('.') ? message : 'a.yaml'
  return {
    rule: 'x',
    code: 'X1',
    severity: 'error',
    confidence: 'high',
    object: { apiVersion: 'v1', kind: 'Job', namespace: undefined, name: 'a' },
    container: undefined,
    message,
    place: { file, line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 },
    fix: { safety: 'safe', title: 'Fix it', edits },
    document,
    related: [],
  }
}

/** Returns the lines that only one of the two has. */
function difference(before: string, after: string): string[] {
  const rest = after.split(/\r?\n/)
  const gone = before.split(/\r?\n/).filter((line) => {
    const at = rest.indexOf(line)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
  return [...gone.map((line) => `-${line}`), ...rest.map((line) => `+${line}`)].sort()
}
