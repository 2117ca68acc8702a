import { describe, expect, it } from 'vitest'
import { excerpt } from './excerpt.ts'
import { reportGithub } from './github.ts'
import { reportJson } from './json.ts'
import { reportJunit } from './junit.ts'
import { painter } from './look.ts'
import { reportPretty } from './pretty.ts'
import { job, reportOf, runIn } from './report-of.fixture.ts'
import { inRepository } from './repository-paths.ts'
import { jsonReport } from './shape.ts'

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

describe('github', () => {
  const github = (text: string, file?: string, folder?: string) =>
    reportGithub(reportOf(text, file), runIn(folder)).trimEnd().split('\n')

  it('cannot be made to print another command', () => {
    const text = job.replace('name: docker', 'name: "docker\\n::error::no,: %"')
    const lines = github(text, 'a,b:c%.yaml', 'x')
    expect(lines.pop()).toMatch(/^dayfly doctor: /)
    for (const line of lines) {
      expect(line).toMatch(/^::(error|warning|notice) file=x\/a%2Cb%3Ac%25.yaml,line=\d+,.*::/)
    }
  })

  it('shows the most severe first, and names the places that GitHub does not show', () => {
    const lines = github(Array.from({ length: 12 }, () => job).join('\n---\n'))
    const levels = lines.flatMap((line) => /^::(\w+)/.exec(line)?.[1] ?? [])
    expect(levels.lastIndexOf('error')).toBeLessThan(levels.indexOf('warning'))
    const errors = lines.filter((line) => line.startsWith('::error'))
    expect(errors).toHaveLength(24)
    expect(errors[9]).toMatch(/::Job ci\/runner/)
    expect(errors[10]).toMatch(/::k8s\/a job.yaml:\d+:\d+: Job ci\/runner/)
    expect(lines.at(-2)).toMatch(/^dayfly doctor: 24 errors, \d+ warnings/)
    expect(lines.at(-1)).toMatch(/in this log alone: 14 more errors, \d+ more warnings, \d+ more notices$/)
  })

  it('says that it found nothing', () => {
    expect(github('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n')).toEqual([
      'dayfly doctor: no findings; 1 file seen, 1 with Kubernetes objects: 1 object, 0 pods',
    ])
  })
})

describe('names of files', () => {
  it('count from the root of the repository', () => {
    expect(inRepository('a.yaml', runIn())).toBe('a.yaml')
    expect(inRepository('a.yaml', runIn('k8s'))).toBe('k8s/a.yaml')
    expect(inRepository('../b/a.yaml', runIn('k8s'))).toBe('b/a.yaml')
    expect(inRepository('/repository/c/a.yaml', runIn('k8s'))).toBe('c/a.yaml')
    expect(inRepository('../../a.yaml', runIn('k8s'))).toBe('/a.yaml')
    expect(inRepository('..a.yaml', runIn())).toBe('..a.yaml')
  })
})

/** The elements of junit-10.xsd that a report uses, with their attributes. `!` marks a required one. */
const jenkins: Readonly<Record<string, readonly string[]>> = {
  testsuites: ['name', 'time', 'tests', 'failures', 'errors'],
  testsuite: ['name!', 'tests!', 'failures!', 'errors!', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package'],
  testcase: ['name!', 'time', 'classname', 'group'],
  failure: ['type', 'message'],
  skipped: ['type', 'message'],
}

describe('junit', () => {
  it.each([
    ['findings', job],
    ['an unreadable file', 'apiVersion: v1\nkind: Pod\nmetadata: {name: [\n'],
  ])('has only the elements and attributes of the schema of Jenkins: %s', (_, text) => {
    const xml = reportJunit(reportOf(text))
    const elements = [...xml.matchAll(/<([a-z]+)((?: [a-z]+="[^"]*")*)\/?>/g)]
    expect(elements.length).toBeGreaterThan(3)
    expect(elements.length).toBe(xml.match(/<[a-z]/g)?.length)
    for (const [, element = '', attributes = ''] of elements) {
      const names = [...attributes.matchAll(/ ([a-z]+)="/g)].map(([, name = '']) => name)
      const known = jenkins[element] ?? []
      expect(known.map((name) => name.replace('!', ''))).toEqual(expect.arrayContaining(names))
      expect(names).toEqual(
        expect.arrayContaining(known.flatMap((name) => (name.endsWith('!') ? name.slice(0, -1) : []))),
      )
    }
  })

  it('names the place and the page of a finding in its text', () => {
    expect(reportJunit(reportOf(job))).toMatch(
      /k8s\/a job.yaml:13:11 error[^<]*https:\/\/dayfly.dev\/doctor\/rules\/dind-ordinary-container<\/failure>/,
    )
  })

  it('counts what it lists and escapes what it quotes', () => {
    const text = reportJunit(reportOf(job.replace('name: docker', 'name: "<do&c\\u0007"')))
    const [, tests, failures] = /tests="(\d+)" failures="(\d+)"/.exec(text) ?? []
    expect(text.match(/<testcase /g)?.length).toBe(Number(tests))
    expect(text.match(/<failure /g)?.length).toBe(Number(failures))
    expect(text).toContain('&lt;do&amp;c\ufffd')
    expect(text).not.toContain('\u0007')
  })
})

const plain = { colour: false, columns: undefined, links: false, full: false }

describe('pretty', () => {
  it('shows the line, carets below the place, and the fix', () => {
    const lines = reportPretty(reportOf(job), plain).split('\n')
    const at = lines.findIndex((line) => line.includes('POD101'))
    const shown = lines.slice(at)
    const source = shown.findIndex((line) => line.includes('13 | '))
    const caret = shown[source + 1] ?? ''
    expect(shown[source]?.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('name: docker')
    expect(shown.join('\n')).toContain('+          restartPolicy: Always')
  })

  it('lets no escape sequence of a file reach the terminal', () => {
    const text = reportPretty(reportOf(`${job} # \x1b]0;title\x07\x9b31m\u202e\n`), plain)
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
  })

  it('breaks its own sentences at the width of the terminal', () => {
    const text = reportPretty(reportOf(job), { ...plain, columns: 60 })
    const own = text.split('\n').filter((line) => !/ \||^ {4}[-+@ ]|-->|https:/.test(line))
    expect(own.length).toBeGreaterThan(10)
    for (const line of own) expect(line.length, line).toBeLessThan(60)
    const flat = (whole: string) => whole.slice(0, whole.indexOf('\nrule ')).replace(/\s+/g, ' ')
    expect(flat(text)).toBe(flat(reportPretty(reportOf(job), plain)))
  })

  it.each([
    ['behind wide letters', 'a: {"😀": 1, image: b}', 1],
    ['behind combining marks', 'a: {"e\u0301": 1, image: b}', -1],
    ['far to the right', `a: {x: ${'x'.repeat(300)}, image: b}`, 0],
    ['in a line longer than the terminal', `image: ${'x'.repeat(300)}`, 0],
  ])('keeps carets below a place %s', (_, text, cells) => {
    const column = text.indexOf('image') + 1
    const place = { file: '', line: 1, column, endLine: 1, endColumn: column + 5, start: 0, end: 0 }
    const [source = '', carets = ''] = excerpt(place, [`${text}\r\n`], { ...plain, paint: painter(plain) })
    expect(source.length).toBeLessThan(180)
    expect(carets).toMatch(/^ +\| +\^{5}$/)
    const shown = [...source.slice(0, source.indexOf('image'))].length
    expect(carets.indexOf('^')).toBe(shown + cells)
  })

  it('names the files without a known version', () => {
    const { coverage, version, ...rest } = reportOf(job)
    const charts = [{ file: 'c/Chart.yaml', range: '>=1.29', version }]
    const reported = (report: typeof coverage) => reportPretty({ ...rest, version, coverage: report }, plain)
    expect(reported(coverage)).toContain('  Kubernetes version: none declared')
    const beside = reported({ ...coverage, charts })
    expect(beside).toContain('Kubernetes version of the files of c/Chart.yaml: kubeVersion >=1.29\n')
    expect(beside).toContain('  Kubernetes version of other files: none declared')
  })

  it('prints one line for each reason of parts left out on purpose', () => {
    const crd = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {}\n'
    const report = reportOf(`${crd}---\n${crd}---\n${job}`)
    expect(reportPretty(report, { ...plain, columns: 100 })).toMatch(
      /\n {4}left out: 2 parts: a CustomResourceDefinition: no rule reads it\n/,
    )
    expect(jsonReport.parse(JSON.parse(reportJson(report))).coverage.leftOut.map(({ line }) => line)).toEqual([1, 4])
  })

  it('prints one line for each unexamined file, and at most twenty', () => {
    const parts = Array.from({ length: 12 }, (_, line) => ({
      file: 'a.json',
      line: line + 1,
      reason: 'not valid YAML',
    }))
    const files = Array.from({ length: 30 }, (_, number) => ({
      file: `${number}.yaml`,
      line: undefined,
      reason: 'gone',
    }))
    const { coverage, ...rest } = reportOf(job)
    const report = { ...rest, coverage: { ...coverage, skipped: [...parts, ...files] } }
    const text = reportPretty(report, plain)
    expect(text).toContain(
      '42 parts not examined\n    not examined: a.json:1: not valid YAML (and 11 more parts of it)\n',
    )
    expect(text).toContain('not examined: 18.yaml: gone\n    not examined: 11 more files (--full names all)\n')
    expect(jsonReport.parse(JSON.parse(reportJson(report))).coverage.skipped).toHaveLength(42)
    const annotations = reportGithub(report, runIn())
      .split('\n')
      .filter((line) => /Not examined/.test(line))
    expect(annotations).toHaveLength(31)
    expect(annotations[0]).toBe('::warning file=a.json,line=1::Not examined: not valid YAML (and 11 more parts of it)')
  })

  it('reports a silenced finding without a reason, and a comment without a rule', () => {
    const silent = reportPretty(reportOf(job.replace('name: docker', 'name: docker # doctor-ignore[POD101]')), plain)
    expect(silent).toContain('1 finding silenced by comments, 1 of them without a reason')
    const wrong = reportPretty(reportOf(job.replace('name: docker', 'name: docker # doctor-ignore[POD999]: x')), plain)
    expect(wrong).toContain('doctor-ignore[POD999] (there is no such rule)')
    const none = reportOf(job.replace('name: docker', 'name: docker # doctor-ignore: all'))
    const reported = 'doctor-ignore[] silences nothing here (name a rule: doctor-ignore[POD101]: why).'
    expect(reportGithub(none, runIn())).toContain(`line=13::${reported}`)
  })
})
