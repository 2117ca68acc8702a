import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from '../engine.ts'
import type { Finding } from '../finding.ts'
import { fixFiles } from '../fixes.ts'
import { undeclaredVersion } from '../gather-facts.ts'
import { catalogue } from '../rules/catalogue.ts'
import { reportGithub } from './github.ts'
import { reportJson } from './json.ts'
import { reportJunit } from './junit.ts'
import { reportPretty } from './pretty.ts'
import type { Preview, Report } from './report.ts'
import { reportSarif } from './sarif.ts'
import { jsonReport } from './shape.ts'

const job = `apiVersion: batch/v1
kind: Job
metadata: {name: runner, namespace: ci}
spec:
  ttlSecondsAfterFinished: 600
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: runner
          image: bitbucket-pipelines-runner:6
        - name: docker
          image: docker:27-dind`

function reportOf(text: string, file = 'k8s/a job.yaml'): Report {
  const files = decodeFiles([{ path: file, text }])
  const examination = examine(files, catalogue)
  const previews = new Map<Finding, Preview>()
  for (const finding of examination.findings) {
    let passes = 0
    const result = fixFiles(
      files,
      () => (passes++ === 0 ? [finding] : []),
      () => true,
    )
    const after = result.changed[0]?.after.text
    if (after !== undefined) previews.set(finding, { after })
    else if (result.refused[0]) previews.set(finding, { refused: result.refused[0].reason })
  }
  const texts = new Map([[file, text]])
  const rest = { rules: catalogue, version: undeclaredVersion, tool: '0.0.0', pages: new Map(), known: [], below: [] }
  return { ...examination, ...rest, texts, previews }
}

describe('json', () => {
  it('has the published shape', () => {
    const value = jsonReport.parse(JSON.parse(reportJson(reportOf(job))))
    expect(value.findings.find(({ code }) => code === 'POD101')).toMatchObject({
      rule: 'dind-ordinary-container',
      severity: 'error',
      file: 'k8s/a job.yaml',
      line: 13,
      column: 11,
      object: { kind: 'Job', namespace: 'ci', name: 'runner' },
      container: 'docker',
      fix: { safety: 'unsafe', refused: null },
    })
    jsonReport.parse(JSON.parse(reportJson(reportOf('a: [', 'x.yaml'))))
  })
})

type Region = { startLine: number; startColumn: number; endLine: number; endColumn: number }

/** Applies SARIF replacements as a reader of SARIF would: by line and column alone. */
function applyReplacements(text: string, all: { deletedRegion: Region; insertedContent: { text: string } }[]): string {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const offset = (line: number, column: number) => (starts[line - 1] ?? text.length) + column - 1
  return [...all].reverse().reduce((now, { deletedRegion: at, insertedContent }) => {
    const before = now.slice(0, offset(at.startLine, at.startColumn))
    return before + insertedContent.text + now.slice(offset(at.endLine, at.endColumn))
  }, text)
}

describe('sarif', () => {
  const sarif = (report: Report, prefix = '') => JSON.parse(reportSarif(report, { prefix }))

  it('has an empty list of results when nothing is found', () => {
    expect(sarif(reportOf('a: 1\n')).runs[0].results).toEqual([])
  })

  it('names files from the root of the repository, as URIs', () => {
    const [result] = sarif(reportOf(job), 'deploy/').runs[0].results
    expect(result.locations[0].physicalLocation.artifactLocation.uri).toBe('deploy/k8s/a%20job.yaml')
  })

  it('points at the place: the region holds the text of the finding', () => {
    const report = reportOf(job)
    const { results } = sarif(report).runs[0]
    for (const [index, { place }] of report.findings.entries()) {
      const at: Region = results[index].locations[0].physicalLocation.region
      expect(Math.min(at.startLine, at.startColumn, at.endLine, at.endColumn)).toBeGreaterThan(0)
      const found = job.split('\n')[at.startLine - 1]?.slice(at.startColumn - 1, at.endColumn - 1)
      expect(found).toBe(job.slice(place?.start, place?.end))
    }
  })

  it.each([
    ['LF without an end', job],
    ['LF', `${job}\n`],
    ['CRLF', `${job}\n`.replace(/\n/g, '\r\n')],
  ])('has fixes that make what our own fix makes: %s', (_, text) => {
    const report = reportOf(text)
    const results: { fixes?: { artifactChanges: { replacements: never[] }[] }[] }[] = sarif(report).runs[0].results
    let fixes = 0
    for (const [index, finding] of report.findings.entries()) {
      const preview = report.previews.get(finding)
      const replacements = results[index]?.fixes?.[0]?.artifactChanges[0]?.replacements
      if (!replacements || !preview || !('after' in preview)) continue
      expect(applyReplacements(text, replacements)).toBe(preview.after)
      fixes++
    }
    expect(fixes).toBeGreaterThan(0)
  })

  it('knows a finding again when its lines move, and tells two of one kind apart', () => {
    const prints = (report: Report): string[] =>
      sarif(report).runs[0].results.map(
        (one: { partialFingerprints: object }) => Object.values(one.partialFingerprints)[0],
      )
    const first = prints(reportOf(job))
    expect(prints(reportOf(`# moved\n\n${job}`))).toEqual(first)
    expect(new Set(first).size).toBe(first.length)
    const twice = prints(reportOf(`${job}\n---\n${job}`))
    expect(new Set(twice).size).toBe(twice.length)
  })

  it('keeps silenced findings with their reason', () => {
    const report = reportOf(job.replace('- name: docker', '- name: docker # doctor-ignore[POD101]: known'))
    const silenced = sarif(report).runs[0].results.find(({ ruleId }: { ruleId: string }) => ruleId === 'POD101')
    expect(silenced.suppressions).toEqual([{ kind: 'inSource', justification: 'known' }])
  })

  it('refers to rules that it lists', () => {
    const [run] = sarif(reportOf(job)).runs
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId)
    for (const rule of run.tool.driver.rules) expect(rule.properties.tags.length).toBeLessThanOrEqual(20)
  })
})

describe('github', () => {
  it('cannot be made to say another command', () => {
    const text = job.replace('name: docker', 'name: "docker\\n::error::no,: %"')
    const lines = reportGithub(reportOf(text, 'a,b:c.yaml'), { prefix: 'x/' }).trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(/^::(error|warning|notice) file=x\/a%2Cb%3Ac.yaml,line=\d+,.*::/)
  })
})

describe('junit', () => {
  it('counts what it lists and escapes what it quotes', () => {
    const text = reportJunit(reportOf(job.replace('name: docker', 'name: "<do&c\\u0007"')))
    const [, tests, failures] = /tests="(\d+)" failures="(\d+)"/.exec(text) ?? []
    expect(text.match(/<testcase /g)?.length).toBe(Number(tests))
    expect(text.match(/<failure /g)?.length).toBe(Number(failures))
    expect(text).toContain('&lt;do&amp;c\ufffd')
    expect(text).not.toContain('\u0007')
  })
})

describe('pretty', () => {
  it('shows the line, carets below the place, and the fix', () => {
    const lines = reportPretty(reportOf(job), { colour: false }).split('\n')
    const at = lines.findIndex((line) => line.includes('POD101'))
    const shown = lines.slice(at)
    const source = shown.findIndex((line) => line.includes('13 | '))
    const caret = shown[source + 1] ?? ''
    expect(shown[source]?.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('name: docker')
    expect(shown.join('\n')).toContain('+          restartPolicy: Always')
  })

  it('lets no escape sequence of a file reach the terminal', () => {
    const text = reportPretty(reportOf(`${job} # \x1b]0;title\x07\x9b31m\u202e\n`), { colour: false })
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  })
})
