// Selects findings by rule and path, and gives them the severity that the configuration wants.
import type { Finding, Severity } from '../finding.ts'
import type { Configuration } from './configuration.ts'
import { type PathTest, pathTest } from './path-test.ts'

/** Returns the finding with its configured severity, or undefined if its rule is not wanted there. */
export type Judge = (finding: Finding) => Finding | undefined

type Wishes = Pick<Configuration, 'severity' | 'overrides'> & {
  readonly select?: readonly string[] | undefined
  readonly ignore?: readonly string[] | undefined
}

/** `nameOf`: names a file from the folder of the configuration. Undefined: the file has no path, as stdin. */
export function judge(wishes: Wishes, nameOf: (file: string) => string | undefined): Judge {
  const { select, ignore = [], severity, overrides = [] } = wishes
  const tests = overrides.map(({ paths }) => pathTest(paths))
  return (finding) => {
    if (select !== undefined && !select.some((name) => fits(name, finding))) return undefined
    const fitting = overrides.filter((_, index) => isAt(finding, tests[index], nameOf))
    const unwanted = [...ignore, ...fitting.flatMap((override) => override.ignore ?? [])]
    if (unwanted.some((name) => fits(name, finding))) return undefined
    const layers = [severity, ...fitting.map((override) => override.severity)]
    const wanted = layers.map((layer) => severityIn(layer, finding)).findLast((one) => one !== undefined)
    return wanted === undefined || wanted === finding.severity ? finding : { ...finding, severity: wanted }
  }
}

/** Returns the names by which a configuration may call the rules. */
export function rulesByName(rules: readonly { readonly code: string; readonly slug: string }[]): readonly string[] {
  const families = new Set(rules.map(({ code }) => familyOf(code)))
  return [...families, ...rules.flatMap(({ code, slug }) => [code, slug])]
}

/** Whether a code, a slug or a family names the rule. */
function fits(name: string, { code, rule }: Pick<Finding, 'code' | 'rule'>): boolean {
  return name === code || name === rule || name === familyOf(code)
}

function familyOf(code: string): string {
  return code.slice(0, 3)
}

function isAt({ place }: Finding, test: PathTest | undefined, nameOf: (file: string) => string | undefined): boolean {
  const name = place && nameOf(place.file)
  return name !== undefined && test?.(name) === true
}

/** The rule wins over its family. */
function severityIn(layer: Wishes['severity'], { code, rule }: Finding): Severity | undefined {
  return layer?.[code] ?? layer?.[rule] ?? layer?.[familyOf(code)]
}
