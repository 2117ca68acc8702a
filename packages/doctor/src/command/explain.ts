// `dayfly doctor explain <rule>`: prints the page of a rule. The build stores the pages next to the program.
import { readFileSync } from 'node:fs'
import { CliFailure } from '@dayfly/command-line/failure'
import { printLine, resultColumns } from '@dayfly/command-line/output'
import { nearest } from '@dayfly/kit/nearest'
import { Command } from 'commander'
import { doctorName } from '../doctor-name.ts'
import { wrap } from '../report/look.ts'
import type { Rule } from '../rule.ts'
import { withoutMarks } from '../rule-page.ts'
import { catalogue } from '../rules/catalogue.ts'

export function explainCommand(): Command {
  return new Command('explain')
    .description(
      'Shows what a rule finds, why it matters, how to fix it, and when it does not apply. Without a rule, lists all rules.',
    )
    .argument('[rule]', 'code or slug of the rule: POD101, dind-ordinary-container')
    .option('--json', 'print JSON for programs')
    .addHelpText('after', help)
    .action((name: string | undefined, { json }: { json?: true }) => {
      if (name === undefined) printLine(json ? toJson(catalogue.map(describe)) : listRules(resultColumns()))
      else
        printLine(
          json
            ? toJson({ ...describe(findRule(name)), page: pageOf(findRule(name)) })
            : explainRule(findRule(name), readPages(), resultColumns()),
        )
    })
}

const help = `
Examples:
  ${doctorName} explain              list all rules
  ${doctorName} explain POD101       show a rule's page by its code
  ${doctorName} explain ttl-missing  show a rule's page by its slug`

/** Returns the source of each page, by slug. */
export function readPages(): ReadonlyMap<string, string> {
  const file = new URL('./doctor-rules.json', import.meta.url)
  try {
    const pages: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return new Map(
      Object.entries(pages ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch (cause) {
    throw new CliFailure({
      code: 'not-built',
      sentence: `The file with the rules' pages, ${file.pathname}, is missing.`,
      next: 'Run npm run build.',
      exitCode: 1,
      cause,
    })
  }
}

/** Prints one line per rule, or two if the terminal has too few columns. */
export function listRules(columns: number | undefined): string {
  const width = Math.max(...catalogue.map(({ slug }) => slug.length))
  const lines = catalogue.map(({ code, slug, title }) => `${code}  ${slug.padEnd(width)}  ${title}`)
  if (columns === undefined || lines.every((line) => line.length <= columns)) return lines.join('\n')
  return catalogue.map(({ code, slug, title }) => `${code}  ${slug}\n${wrap(title, '        ', columns)}`).join('\n')
}

/** Breaks the prose of a page between words. Examples stay unchanged. */
export function fitPage(page: string, columns: number | undefined): string {
  let example = false
  return page
    .split('\n')
    .map((line) => {
      if (line.startsWith('```')) example = !example
      if (example) return line
      return line.startsWith('- ') ? `- ${wrap(line.slice(2), '  ', columns).slice(2)}` : wrap(line, '', columns)
    })
    .join('\n')
}

function describe({ slug, code, title, severity, confidence, modes, fix }: Rule): object {
  return { rule: slug, code, title, severity, confidence, modes, fix }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}

function pageOf({ slug }: Rule): string {
  return withoutMarks(readPages().get(slug) ?? '')
}

/** Returns the page of a rule for a terminal with this many columns. */
export function explainRule(rule: Rule, pages: ReadonlyMap<string, string>, columns: number | undefined): string {
  const facts = `${rule.severity}, ${rule.confidence} confidence; in ${rule.modes.map((mode) => where[mode]).join(' and ')}; fix: ${rule.fix}`
  const head = `# ${rule.code} ${rule.slug}\n\n${rule.title}.\n${facts}.\n`
  const page = withoutMarks(pages.get(rule.slug) ?? '').replace(/^# .*\n/, () => head)
  return fitPage(page.trimEnd(), columns)
}

const where = { static: 'files', live: 'clusters' } as const

/** Finds a rule by its code or slug. */
export function findRule(name: string): Rule {
  const wanted = name.toLowerCase()
  const rule = catalogue.find(({ slug, code }) => slug === wanted || code.toLowerCase() === wanted)
  if (rule) return rule
  const names = catalogue.flatMap(({ slug, code }) => [slug, code.toLowerCase()])
  const guess = nearest(wanted, names) ?? nearestByWords(wanted, names)
  const meant = catalogue.find(({ slug, code }) => slug === guess || code.toLowerCase() === guess)
  throw new CliFailure({
    code: 'unknown-rule',
    sentence: `There is no rule "${name.slice(0, 80)}".`,
    next: `${meant ? `Did you mean ${meant.code} ${meant.slug}? ` : ''}"${doctorName} explain" lists all rules.`,
  })
}

/** Finds the name that shares the most words with the typed text, such as `docker-ordinary`, which is not part of any name. */
function nearestByWords(typed: string, names: readonly string[]): string | undefined {
  const words = typed.split(/[^a-z0-9]+/).filter((word) => word.length > 2)
  let best: string | undefined
  let most = 0
  for (const name of names) {
    const shared = words.filter((word) => name.includes(word)).length
    if (shared > most) {
      best = name
      most = shared
    }
  }
  return best
}
