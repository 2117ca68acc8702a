// The files that are made from the doctor's rules: their pages, the index, the schema of the JSON report.
import { readFileSync } from 'node:fs'
import { jsonSchema } from '../src/doctor/reporters/shape.ts'
import type { Rule } from '../src/doctor/rule.ts'
import { withoutMarks } from '../src/doctor/rule-page.ts'
import { catalogue } from '../src/doctor/rules/catalogue.ts'
import { symptoms } from './symptoms.ts'

/** By path from the repository's root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/doctor.schema.json', `${JSON.stringify(jsonSchema(), undefined, 2)}\n`],
    ['docs/rules/README.md', index()],
    ...catalogue.map((rule) => [`docs/rules/${rule.slug}.md`, page(rule)] as const),
  ])
}

const made = '<!-- Made by scripts/generate-rules.ts; edit src/doctor/rules. -->'
const where = { static: 'files', live: 'clusters' } as const

function page(rule: Rule): string {
  const source = readFileSync(new URL(`../src/doctor/rules/${rule.slug}.md`, import.meta.url), 'utf8')
  const facts = [
    '| Code | Severity | Confidence | Looks at | Fix |',
    '|---|---|---|---|---|',
    `| ${rule.code} | ${rule.severity} | ${rule.confidence} | ${rule.modes.map((mode) => where[mode]).join(', ')} | ${rule.fix} |`,
  ].join('\n')
  const silence = `## Silence it\n\n\`# doctor-ignore[${rule.code}]: the reason\`, on the line or in the comment above it.\n`
  const body = withoutMarks(source)
    .replace(/^# .*\n/, '')
    .trim()
  return `${made}\n# ${rule.slug}\n\n${rule.title}.\n\n${facts}\n\n${body}\n\n${silence}`
}

function index(): string {
  const bySlug = new Map(catalogue.map((rule) => [rule.slug, rule]))
  const seen = symptoms.flatMap(({ sign, rules }) => {
    const links = rules.flatMap((slug) => (bySlug.has(slug) ? [`[${slug}](${slug}.md)`] : []))
    return links.length === 0 ? [] : [`| ${sign} | ${links.join(', ')} |`]
  })
  const all = catalogue.map(
    ({ code, slug, title, severity }) => `| ${code} | [${slug}](${slug}.md) | ${severity} | ${title} |`,
  )
  return `${made}
# The doctor's rules

\`dayfly doctor explain <rule>\` shows the same pages without a network.

## By symptom

| What you see | What it may be |
|---|---|
${seen.join('\n')}

## By code

| Code | Rule | Severity | What |
|---|---|---|---|
${all.join('\n')}
`
}
