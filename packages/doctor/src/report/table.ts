// The table at the end of a report: one row for each rule with findings.
import { pageAddress } from '../page-address.ts'
import { type Group, groupByRule } from './groups.ts'
import { type Look, link, painter } from './look.ts'
import type { Report } from './report.ts'
import { fixesOf } from './wording.ts'

type Row = { readonly rule: string; readonly count: string; readonly fixes: string; readonly page: string }

/** Returns no line if there is no finding. A terminal with links gets no addresses: the name of the rule is the link. */
export function tableOf(report: Report, look: Look): readonly string[] {
  const groups = groupByRule(report.findings)
  if (groups.length === 0) return []
  const rows = groups.map((group) => rowOf(group, report))
  const head: Row = { rule: 'rule', count: 'count', fixes: 'fixes', page: look.links ? '' : 'page' }
  const width = (key: keyof Row) => Math.max(...[head, ...rows].map((row) => row[key].length))
  const widths = { rule: width('rule'), count: width('count'), fixes: width('fixes') }
  const own = widths.rule + widths.count + widths.fixes + 4
  const hasPages = !look.links
  const isWide = look.columns === undefined || own + 4 + width('page') < look.columns
  const line = ({ rule, count, fixes }: Row) =>
    `${rule.padEnd(widths.rule)}  ${count.padStart(widths.count)}  ${fixes.padEnd(widths.fixes)}`
  const withPage = (row: Row) => {
    const text = line(row)
    if (!hasPages) return [link(look, row.page, row.rule) + text.slice(row.rule.length).trimEnd()]
    return isWide ? [`${text}  ${row.page}`] : [text.trimEnd(), `  ${row.page}`]
  }
  const title = isWide && hasPages ? `${line(head)}  ${head.page}` : line(head)
  return [painter(look)('dim', title.trimEnd()), ...rows.flatMap(withPage)]
}

function rowOf({ code, rule, findings }: Group, report: Report): Row {
  const { safe, unsafe } = fixesOf(findings, report)
  const fixes = [...(safe > 0 ? [`${safe} safe`] : []), ...(unsafe > 0 ? [`${unsafe} unsafe`] : [])].join(', ')
  return { rule: `${code} ${rule}`, count: String(findings.length), fixes: fixes || 'none', page: pageAddress(rule) }
}
