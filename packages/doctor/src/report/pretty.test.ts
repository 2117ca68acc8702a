import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { linesOf } from '../fix/line-diff.ts'
import { catalogue } from '../rules/catalogue.ts'
import { groupByRule } from './groups.ts'
import type { Look } from './look.ts'
import { reportPretty } from './pretty.ts'
import type { Report } from './report.ts'
import { job, reportOf } from './report-of.fixture.ts'

const plain: Look & { readonly full: boolean } = { colour: false, columns: undefined, links: false, full: false }
const many = reportOf(
  Array.from({ length: 40 }, (_, number) => job.replace('name: runner,', `name: r${number},`)).join('\n---\n'),
)
const lines = (report: Report, look = plain) => reportPretty(report, look).split('\n')

describe('a report of many findings', () => {
  it('shows each rule once, the worst first, and ends with a table of all', () => {
    const shown = lines(many)
    const heads = shown.filter((line) => /^(error|warning|info) /.test(line))
    const groups = groupByRule(many.findings)
    expect(heads).toHaveLength(groups.length)
    const rank = heads.map((line) => ['error', 'warning', 'info'].indexOf(line.split(' ', 1)[0] ?? ''))
    expect(rank).toEqual(rank.toSorted())
    const table = shown.slice(shown.findIndex((line) => line.startsWith('rule ')))
    for (const [index, { code, rule, findings }] of groups.entries()) {
      expect(heads[index]).toContain(`${code} ${rule} (${findings.length} findings)`)
      expect(table[index + 1]).toMatch(
        new RegExp(`^${code} ${rule} +${findings.length} .*https://dayfly.dev/doctor/rules/${rule}$`),
      )
    }
  })

  it('has a bounded length, and shows every finding completely if asked', () => {
    const excerpts = (look: typeof plain) => lines(many, look).filter((line) => line.includes('-->')).length
    expect(excerpts(plain)).toBe(groupByRule(many.findings).length)
    expect(excerpts({ ...plain, full: true })).toBe(many.findings.length)
    const twice = { ...many, findings: [...many.findings, ...many.findings] }
    expect(lines(twice).length).toBe(lines(many).length)
    expect(lines(many).join('\n')).toMatch(/and \d+ more \(--full shows all\)/)
  })

  it('shows ten rules completely, and the table names the others', () => {
    const findings = catalogue.map(({ code, slug }) => ({
      ...many.findings[0],
      code,
      rule: slug,
    })) as Report['findings']
    const shown = lines({ ...many, findings })
    expect(shown.filter((line) => line.includes('-->'))).toHaveLength(10)
    expect(shown).toContain(`${catalogue.length - 10} more rules: see the table (--full shows all)`)
    for (const { code, slug } of catalogue) expect(shown.some((line) => line.startsWith(`${code} ${slug} `))).toBe(true)
  })
})

describe('a report of few findings', () => {
  it('shows each of them completely, the worst first', () => {
    const report = reportOf(job)
    const heads = lines(report).filter((line) => /^(error|warning|info) /.test(line))
    expect(heads).toHaveLength(report.findings.length)
    expect(heads[0]).toContain('error ')
    expect(heads.at(-1)).toContain('info ')
  })

  it('has no table if there is no finding', () => {
    expect(reportPretty(reportOf('apiVersion: v1\nkind: ConfigMap\n'), plain)).not.toMatch(/^rule /m)
  })
})

describe('the table', () => {
  it('puts the page below the rule on a narrow terminal', () => {
    const shown = lines(reportOf(job), { ...plain, columns: 80 })
    const at = shown.findIndex((line) => line.startsWith('POD101 '))
    expect(shown[at]).toMatch(/^POD101 dind-ordinary-container +1 +1 unsafe$/)
    expect(shown[at + 1]).toBe('  https://dayfly.dev/doctor/rules/dind-ordinary-container')
  })

  it('has links in place of addresses where the terminal shows them', () => {
    const text = reportPretty(reportOf(job), { ...plain, links: true })
    expect(text).toContain(
      '\x1b]8;;https://dayfly.dev/doctor/rules/dind-ordinary-container\x1b\\POD101 dind-ordinary-container\x1b]8;;\x1b\\',
    )
    expect(text.replace(/\x1b\]8;;[^\x1b]*\x1b\\/g, '')).not.toContain('https://dayfly')
    expect(reportPretty(reportOf(job), plain)).not.toContain('\x1b')
  })

  it('counts the fixes that are possible', () => {
    const anchored = job.replace('- name: docker\n', '- &docker\n          name: docker\n')
    expect(reportPretty(reportOf(anchored), plain)).toMatch(/^POD101 dind-ordinary-container +1 +none /m)
  })
})

describe('a fix that is unsafe because no version is declared', () => {
  it('says which version makes it safe, and how to declare it', () => {
    const text = reportPretty(reportOf(job), plain)
    expect(text).toContain('fix (unsafe; safe from Kubernetes 1.29): Make docker a native sidecar')
    expect(text).toContain(
      '1 of these fixes is safe from Kubernetes 1.29: if your cluster has it, declare your version with',
    )
    expect(text).toContain('--kubernetes-version 1.29, or under "clusters" in .dayfly-doctor.yaml')
  })

  it('is safe with that version, as the report says', () => {
    const files = decodeFiles([{ path: 'k8s/a job.yaml', text: job }])
    const version = { minors: [29], declared: true, from: '--kubernetes-version' }
    const examination = examine(files, catalogue, { version })
    const text = reportPretty(
      { ...reportOf(job), ...examination, version, lines: new Map([['a', linesOf(job)]]) },
      plain,
    )
    expect(text).toContain('fix (safe): Make docker a native sidecar')
    expect(text).not.toContain('safe from Kubernetes')
  })

  it('says nothing of a fix that no version makes safe', () => {
    const unsafe =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  initContainers: [{name: d, image: docker:27-dind}]\n'
    const text = reportPretty(reportOf(unsafe), plain)
    expect(text).toMatch(/fix \(unsafe\)/)
    expect(text).not.toContain('safe from Kubernetes')
  })
})
