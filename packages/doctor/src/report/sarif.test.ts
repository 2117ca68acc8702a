import { readFileSync } from 'node:fs'
import { partOf } from '@dayfly/kit/full.fixture'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeFiles } from '../engine/examine.ts'
import type { Finding } from '../finding.ts'
import { fixFiles } from '../fix/fixes.ts'
import { styles } from '../fix/restyle.fixture.ts'
import { readRuleFixtures } from '../rule-fixtures.ts'
import { catalogue } from '../rules/catalogue.ts'
import type { Report } from './report.ts'
import { job, reportOf, runIn } from './report-of.fixture.ts'
import { reportSarif } from './sarif.ts'

type Region = { startLine: number; startColumn: number; endLine: number; endColumn: number }
type Artifact = { uri: string; uriBaseId?: string }
type Replacement = { deletedRegion: Region; insertedContent: { text: string } }
type Result = {
  ruleId: string
  ruleIndex: number
  level: string
  message: { text: string }
  locations: {
    physicalLocation?: { artifactLocation: Artifact; region: Region }
    logicalLocations: { fullyQualifiedName: string; kind: string }[]
  }[]
  partialFingerprints: Record<string, string>
  fixes?: { artifactChanges: { artifactLocation: Artifact; replacements: Replacement[] }[] }[]
  suppressions?: { kind: string; justification?: string }[]
}
type Notification = { level: string; message: { text: string }; locations?: unknown[] }
type Rule = {
  id: string
  name: string
  helpUri: string
  help: { markdown?: string }
  properties: { tags: string[] }
}
type Log = {
  runs: {
    columnKind: string
    results: Result[]
    tool: { driver: { informationUri: string; rules: Rule[] } }
    invocations: { toolExecutionNotifications: Notification[] }[]
  }[]
}

function runOf(report: Report, folder?: string) {
  const log: Log = JSON.parse(reportSarif(report, runIn(folder)))
  const [run] = log.runs
  if (!run) throw new Error('a log has one run')
  return run
}

/** Counts as SARIF does: columns are UTF-16 code units, and a byte order mark does not count. */
function applyReplacements(file: string, all: readonly Replacement[]): string {
  const mark = file.startsWith('\ufeff') ? '\ufeff' : ''
  const text = file.slice(mark.length)
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const offset = (line: number, column: number) => (starts[line - 1] ?? text.length) + column - 1
  const applied = [...all].reverse().reduce((now, { deletedRegion: at, insertedContent }) => {
    const before = now.slice(0, offset(at.startLine, at.startColumn))
    return before + insertedContent.text + now.slice(offset(at.endLine, at.endColumn))
  }, text)
  return mark + applied
}

/** The result of `--fix` for this finding alone. */
function fixedAlone(text: string, file: string, finding: Finding): string | undefined {
  let passes = 0
  const { changed } = fixFiles(
    decodeFiles([{ path: file, text }]),
    () => (passes++ === 0 ? [finding] : []),
    () => true,
  )
  return changed[0]?.after.text
}

const fixtures = catalogue
  .filter(({ modes, fix }) => modes.includes('static') && (fix === 'safe' || fix === 'unsafe'))
  .flatMap(({ slug }) => {
    return readRuleFixtures(slug)
      .filter(({ kind }) => kind === 'bad')
      .map(({ text }, index) => ({ name: `${slug} ${index}`, slug, text }))
  })

const samples = ['bitbucket-config-map.yaml', 'bitbucket-list.yaml.template', 'arc-dind-values.yaml', 's0-zombie.yaml']

describe('fixes', () => {
  const expectSame = (text: string, file = 'a.yaml', slug?: string) => {
    // Each page shows the fixes of its own rule.
    const rules = slug === undefined ? catalogue : catalogue.filter((rule) => rule.slug === slug)
    const report = reportOf(text, file, rules)
    const { results } = runOf(report)
    let fixes = 0
    for (const [index, finding] of report.findings.entries()) {
      const own = results[index]?.fixes
      const alone = finding.fix && fixedAlone(text, file, finding)
      expect(own?.length ?? 0).toBe(alone === undefined ? 0 : 1)
      if (!own || alone === undefined) continue
      expect(applyReplacements(text, own[0]?.artifactChanges[0]?.replacements ?? [])).toBe(alone)
      fixes++
    }
    return fixes
  }

  let plain: ReadonlyMap<string, number>
  beforeAll(() => {
    plain = new Map(fixtures.map(({ name, slug, text }) => [name, expectSame(text, 'a.yaml', slug)]))
  })

  it.each(styles.map((style, at) => [style.name, style, at] as const))(
    'applied, give the file that --fix writes: %s',
    (_, style, at) => {
      for (const { name, slug, text } of partOf(fixtures, at)) {
        const fixes = expectSame(style.write(text), style.path, slug)
        if (!style.refused) expect(fixes, name).toBe(plain.get(name))
      }
    },
  )

  it.each(samples)('applied, give the file that --fix writes: %s', (name) => {
    const text = readFileSync(new URL(`../samples/${name}`, import.meta.url), 'utf8')
    expect(expectSame(text, name)).toBeGreaterThan(0)
  })

  it.each([
    ['without a last line end', job],
    ['LF', `${job}\n`],
    ['CRLF', `${job}\n`.replace(/\n/g, '\r\n')],
    ['a byte order mark', `\ufeff${job}\n`],
    [
      'astral letters',
      `# 😀\n${job.replace('- name: docker', '- {name: "😀", image: a}\n        - name: docker # 😀')}\n`,
    ],
    ['several documents', `${job}\n---\n# 😀\n${job}\n...\n---\n${job}`],
    ['a byte order mark and several documents, CRLF', `\ufeff${job}\n---\n${job}\n`.replace(/\n/g, '\r\n')],
  ])('applied, give the file that --fix writes: %s', (_, text) => {
    expect(expectSame(text)).toBeGreaterThan(0)
  })
})

describe('places', () => {
  it.each([
    ['LF', job],
    ['CRLF', job.replace(/\n/g, '\r\n')],
    ['a byte order mark', `\ufeff${job}`],
    [
      'astral letters',
      job.replace('- name: docker\n', '- {name: "😀😀", image: docker:27-dind}\n        - name: docker\n'),
    ],
  ])('hold the text of the finding: %s', (_, text) => {
    const report = reportOf(text)
    const { results, columnKind } = runOf(report)
    expect(columnKind).toBe('utf16CodeUnits')
    const lines = text.replace('\ufeff', '').split(/\r?\n/)
    for (const [index, { place }] of report.findings.entries()) {
      const at = results[index]?.locations[0]?.physicalLocation?.region
      if (!at) throw new Error('a finding in a file has a region')
      expect(Math.min(at.startLine, at.startColumn, at.endLine, at.endColumn)).toBeGreaterThan(0)
      expect(lines[at.startLine - 1]?.slice(at.startColumn - 1, at.endColumn - 1)).toBe(
        text.slice(place?.start, place?.end),
      )
    }
  })

  it('count the first line without a byte order mark', () => {
    const values = 'githubConfigUrl: https://github.com/a\ntemplate:\n  spec: {}\ncontainerMode: {type: dind}\n'
    const first = (text: string) =>
      runOf(reportOf(text)).results.map(({ locations }) => locations[0]?.physicalLocation?.region)
    expect(first(`\ufeff${values}`)).toEqual(first(values))
  })

  it.each([
    ['k8s/a job.yaml', 'deploy', 'deploy/k8s/a%20job.yaml', true],
    ['../ünï/a#1%?.yaml', 'deploy', '%C3%BCn%C3%AF/a%231%25%3F.yaml', true],
    ['a\\b:c.yaml', '', 'a%5Cb%3Ac.yaml', true],
    ['/elsewhere/a.yaml', '', 'file:///elsewhere/a.yaml', false],
  ])('name files by URIs from the root of the repository: %s in %s', (file, folder, uri, based) => {
    const [result] = runOf(reportOf(job, file), folder).results
    expect(result?.locations[0]?.physicalLocation?.artifactLocation).toEqual({
      uri,
      ...(based && { uriBaseId: '%SRCROOT%' }),
    })
    const fixed = runOf(reportOf(job, file), folder).results.find(({ fixes }) => fixes)
    expect(fixed?.fixes?.[0]?.artifactChanges[0]?.artifactLocation.uri).toBe(uri)
  })

  it('name the object of a cluster by convention', () => {
    const report = reportOf(job)
    const findings = report.findings.map((finding) => ({ ...finding, place: undefined, fix: undefined }))
    const unread = [{ kind: 'Secret', reason: 'forbidden' }]
    const run = runOf({ ...report, findings, live: true, coverage: { objects: 1, pods: 1, unread, optional: [] } })
    for (const { locations } of run.results) {
      expect(locations[0]?.physicalLocation).toEqual({
        artifactLocation: { uri: 'cluster/ci/Job/runner', uriBaseId: '%SRCROOT%' },
        region: { startLine: 1 },
      })
    }
    const names = run.results.map(({ locations }) => locations[0]?.logicalLocations[0]?.fullyQualifiedName)
    expect(names).toContain('ci/Job/runner/docker')
    const [first] = run.invocations[0]?.toolExecutionNotifications ?? []
    expect(first).toEqual({ level: 'warning', message: { text: 'Not examined: Secret: forbidden' } })
  })
})

describe('the requirements of GitHub', () => {
  it('has a list of results also without a finding', () => {
    expect(runOf(reportOf('a: 1\n')).results).toEqual([])
  })

  it('lists the rules of the results, with help for people and few tags', () => {
    const { results, tool } = runOf({
      ...reportOf(job),
      pages: new Map([['dind-ordinary-container', '# A\n\n## Bad\n```yaml bad for=all\na: 1 # ! ~\n```\n']]),
    })
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
    expect(new Set(tool.driver.rules.map(({ id }) => id)).size).toBe(catalogue.length)
    for (const { properties } of tool.driver.rules) expect(properties.tags.length).toBeLessThanOrEqual(20)
    const markdown = tool.driver.rules.find(({ id }) => id === 'POD101')?.help.markdown
    expect(markdown).toBe('# A\n\n## Bad\n```yaml\na: 1 # ← here\n```\n')
  })

  it('links each rule to its own page, and the tool to its site', () => {
    const { driver } = runOf(reportOf(job)).tool
    expect(driver.informationUri).toBe('https://dayfly.dev/doctor')
    for (const { name, helpUri } of driver.rules) expect(helpUri).toBe(`https://dayfly.dev/doctor/rules/${name}`)
  })

  it('keeps the 25,000 most severe results, and says so', () => {
    const report = reportOf(job)
    const findings = Array.from({ length: 26_000 / 4 }, () => report.findings.slice(0, 4)).flat()
    const { results, invocations } = runOf({ ...report, findings })
    expect(results).toHaveLength(25_000)
    const errors = (list: readonly { level: string }[]) => list.filter(({ level }) => level === 'error').length
    expect(errors(results)).toBe(findings.filter(({ severity }) => severity === 'error').length)
    expect(invocations[0]?.toolExecutionNotifications.at(-1)?.message.text).toMatch(/^1000 of 26000 results/)
  })

  it('names the parts that were not examined', () => {
    const [invocation] = runOf(reportOf('apiVersion: v1\nkind: Pod\nmetadata: {name: [\n', 'b c.yaml')).invocations
    expect(invocation?.toolExecutionNotifications[0]).toMatchObject({
      level: 'warning',
      message: { text: expect.stringContaining('Not examined: not valid YAML') },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'b%20c.yaml' }, region: { startLine: 4 } } }],
    })
  })
})

describe('one run and the next', () => {
  it('recognizes a finding on moved lines, and separates two of one kind', () => {
    const prints = (text: string) =>
      runOf(reportOf(text)).results.map((one) => one.partialFingerprints['dayflyDoctor/v2'])
    const first = prints(job)
    expect(prints(`# moved\n\n${job}`)).toEqual(first)
    expect(new Set(first).size).toBe(first.length)
    const twice = prints(`${job}\n---\n${job}`)
    expect(new Set(twice).size).toBe(twice.length)
  })

  it("leaves GitHub's own fingerprint to its upload step", () => {
    for (const { partialFingerprints } of runOf(reportOf(job)).results) {
      expect(partialFingerprints).not.toHaveProperty('primaryLocationLineHash')
    }
  })

  it('keeps silenced findings with their reason', () => {
    const text = job.replace('- name: docker', '- name: docker # doctor-ignore[POD101]: known')
    const silenced = runOf(reportOf(text)).results.find(({ ruleId }) => ruleId === 'POD101')
    expect(silenced?.suppressions).toEqual([{ kind: 'inSource', justification: 'known' }])
  })
})
