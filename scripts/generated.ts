// The files that are made from the doctor's rules: their pages, the index, the schema of the JSON report, the admission policies.
import { readFileSync } from 'node:fs'
import { jsonSchema } from '../src/doctor/reporters/shape.ts'
import type { Rule } from '../src/doctor/rule.ts'
import { withoutMarks } from '../src/doctor/rule-page.ts'
import { catalogue } from '../src/doctor/rules/catalogue.ts'
import { hasPolicy, policyBundle, whyNoPolicy } from './policies.ts'
import { symptoms } from './symptoms.ts'

/** By path from the repository's root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/doctor.schema.json', `${JSON.stringify(jsonSchema(), undefined, 2)}\n`],
    ['docs/rules/README.md', index()],
    ['deploy/doctor-policies.yaml', policyBundle()],
    ...catalogue.map((rule) => [`docs/rules/${rule.slug}.md`, page(rule)] as const),
  ])
}

const made = '<!-- Made by scripts/generate-rules.ts; edit src/doctor/rules. -->'
const where = { static: 'files', live: 'clusters' } as const

function page(rule: Rule): string {
  const source = readFileSync(new URL(`../src/doctor/rules/${rule.slug}.md`, import.meta.url), 'utf8')
  const facts = [
    '| Code | Severity | Confidence | Looks at | Fix | Admission policy |',
    '|---|---|---|---|---|---|',
    `| ${rule.code} | ${rule.severity} | ${rule.confidence} | ${rule.modes.map((mode) => where[mode]).join(', ')} | ${rule.fix} | ${hasPolicy(rule) ? 'yes' : 'no'} |`,
  ].join('\n')
  // An object of a cluster has no line that a comment could stand on.
  const silence = rule.modes.includes('static')
    ? `\n\n## Silence it\n\n\`# doctor-ignore[${rule.code}]: the reason\`, on the line or in the comment above it.`
    : ''
  const body = withoutMarks(source)
    .replace(/^# .*\n/, '')
    .trim()
  return `${made}\n# ${rule.slug}\n\n${rule.title}.\n\n${facts}\n\n${body}${silence}\n`
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
  const unsaid = catalogue.flatMap((rule) => {
    const why = whyNoPolicy(rule)
    return why === undefined ? [] : [`| [${rule.slug}](${rule.slug}.md) | ${why} |`]
  })
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

## At the API server

[deploy/doctor-policies.yaml](../../deploy/doctor-policies.yaml) says ${catalogue.filter(hasPolicy).length} of the rules as ValidatingAdmissionPolicies (Kubernetes 1.30 and later), for those who apply objects without asking the doctor.
They warn and audit; the file says how one of them refuses instead. Rules for files that have no policy:

| Rule | Why |
|---|---|
${unsaid.join('\n')}
`
}
