import { describe, expect, it } from 'vitest'
import { namingRule } from '../naming-rule.fixture.ts'
import type { Rule } from '../rule.ts'
import { decodeFiles, examine } from './examine.ts'

const text = `apiVersion: batch/v1
kind: Job
metadata: { name: a }
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: one # doctor-ignore[names]: it must be
        - name: two
        # doctor-ignore[TST001]: known since May
        # more words
        - name: three
        - name: {{ four }}
# doctor-ignore[other]
`
const names = namingRule((name) => ({ message: `${name}.` }))
const skipping: Rule = { ...names, slug: 'later', code: 'TST002', check: () => ({ skipped: 'no nodes' }) }
const live: Rule = { ...names, slug: 'live', code: 'TST003', modes: ['live'] }

describe('decodeFiles', () => {
  it('leaves out the patches of a kustomization, in files and in its own strings', () => {
    const job = 'apiVersion: batch/v1\nkind: Job\nmetadata: { name: a }\nspec: { template: { spec: {} } }\n'
    const kustomization = `resources: [job.yaml]\npatches:\n- path: patch.yaml\n- patch: |\n${job.replace(/^(?=.)/gm, '    ')}`
    const files = decodeFiles([
      { path: 'k/job.yaml', text: job },
      { path: 'k/kustomization.yaml', text: kustomization },
      { path: 'k/patch.yaml', text: job },
    ])
    expect(files.map(({ objects }) => objects.length)).toEqual([1, 0, 0])
    expect(files.flatMap(({ skipped }) => skipped).map(({ file, line }) => [file, line])).toEqual([
      ['k/kustomization.yaml', 5],
      ['k/patch.yaml', undefined],
    ])
  })
})

describe('a value that a template computes', () => {
  const missing: Rule = {
    ...names,
    check: ({ objects }) => ({
      hits: objects.map(({ object, document }) => {
        return { object, document, path: ['spec'], message: 'No a.b.', absent: [['spec', 'a', 'b']] }
      }),
    }),
  }
  const cases: [spec: string, hits: number][] = [
    ['{}', 1],
    ['{ a: {} }', 1],
    ['{ a: "{{ x }}" }', 0],
    ['{ a: { b: {{ x }} } }', 0],
    ['{ a: { b: ["{{ x }}"] } }', 0],
    ['{ a: { "{{ x }}": 1 } }', 0],
    ['{ a: { c: "{{ x }}" } }', 1],
  ]
  for (const [spec, hits] of cases) {
    it(`is not missing in ${spec}`, () => {
      const files = decodeFiles([{ path: 'a', text: `kind: A\napiVersion: v1\nspec: ${spec}\n` }])
      expect(examine(files, [missing]).findings.length).toBe(hits)
    })
  }
})

describe('kinds of other systems that run jobs', () => {
  const leftOut = (text: string) => examine(decodeFiles([{ path: 'a.yaml', text }]), [names]).coverage
  const cases: [apiVersion: string, kinds: string[], reason: RegExp][] = [
    [
      'argoproj.io/v1alpha1',
      ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'],
      /of Argo Workflows: its controller ends the sidecars/,
    ],
    ['tekton.dev/v1', ['Task', 'TaskRun', 'Pipeline', 'PipelineRun'], /of Tekton: its controller ends the sidecars/],
    ['tekton.dev/v1beta1', ['ClusterTask'], /of Tekton/],
    ['actions.summerwind.dev/v1alpha1', ['HorizontalRunnerAutoscaler'], /of the older ARC/],
    ['extensions/v1beta1', ['Deployment'], /of extensions\/v1beta1, which Kubernetes 1.16 removed/],
  ]
  for (const [apiVersion, kinds, reason] of cases) {
    it.each(kinds)(`are left out with their line and the reason: %s (${apiVersion})`, (kind) => {
      const foreign = `# why\n---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: a }\nspec: {}\n`
      const coverage = leftOut(`${text}---\n${foreign}`)
      const line = text.split('\n').length + 4
      expect(coverage.leftOut).toEqual([
        {
          file: 'a.yaml',
          line,
          reason: expect.stringMatching(new RegExp(`^a ${kind} ${reason.source}`)),
          intended: true,
        },
      ])
      expect(coverage.skipped).toEqual([])
    })
  }

  it('are found in Lists; other kinds of the same group or name are not', () => {
    const items = [
      ['argoproj.io/v1alpha1', 'Application'],
      ['dayfly.dev/v1', 'RunnerSet'],
      ['argoproj.io/v1alpha1', 'Workflow'],
      ['constructor/v1', 'Workflow'],
    ]
    const lines = items.map(([apiVersion, kind]) => `- apiVersion: ${apiVersion}\n  kind: ${kind}\n  spec: {}\n`)
    const coverage = leftOut(`apiVersion: v1\nkind: List\nitems:\n${lines.join('')}`)
    expect(coverage.objects).toBe(4)
    expect(coverage.leftOut.map(({ line }) => line)).toEqual([11])
  })
})

describe('examine', () => {
  const files = decodeFiles([
    { path: 'b.yaml', text },
    { path: 'a.yaml', text: text.replace(/#.*/g, '') },
    { path: 'c.txt', text: 'x' },
  ])
  const result = examine(files, [names, skipping, live], { skipped: [{ file: 'd', line: undefined, reason: 'gone' }] })

  it('orders findings by place, in any order of rules and hits', () => {
    expect(result.findings.map(({ place, message }) => [place?.file, place?.line, place?.column, message])).toEqual([
      ['a.yaml', 9, 11, 'one.'],
      ['a.yaml', 10, 11, 'two.'],
      ['a.yaml', 13, 11, 'three.'],
      ['b.yaml', 10, 11, 'two.'],
    ])
    expect(examine(files, [live, skipping, names]).findings).toEqual(result.findings)
  })

  it('silences findings that a comment names, and reports comments that silence nothing', () => {
    expect(result.suppressed.map(({ finding, reason }) => [finding.message, reason])).toEqual([
      ['one.', 'it must be'],
      ['three.', 'known since May'],
    ])
    expect(result.unusedSuppressions).toEqual([{ file: 'b.yaml', line: 15, rule: 'other', reason: '' }])
  })

  it('names the parts that were not examined', () => {
    expect(result.skippedRules).toEqual([{ rule: 'later', code: 'TST002', reason: 'no nodes' }])
    expect(result.coverage).toEqual({
      files: { seen: 4, decoded: 2 },
      objects: 2,
      pods: 2,
      skipped: [{ file: 'd', line: undefined, reason: 'gone' }],
      leftOut: [{ file: 'c.txt', line: undefined, reason: 'no manifest in it', intended: true }],
      charts: [],
    })
    const skipped = [{ file: 'vendor/', line: undefined, reason: 'a folder named vendor', intended: true as const }]
    expect(examine([], [], { skipped }).coverage).toMatchObject({ files: { seen: 0 }, leftOut: skipped })
  })
})
