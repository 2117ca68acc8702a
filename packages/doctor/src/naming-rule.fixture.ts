// A rule for tests of what happens to findings: it has one at the name of each container.
import type { Hit } from './finding.ts'
import type { Rule } from './rule.ts'

/** The hits are in reverse order, because a rule may report in any. `more` returns the message for a name, and other fields. */
export function namingRule(more: (name: string) => Pick<Hit, 'message' | 'fix'>): Rule {
  return {
    slug: 'names',
    code: 'TST001',
    title: 'Names',
    severity: 'error',
    confidence: 'high',
    modes: ['static'],
    fix: 'none',
    check: ({ pods }) => ({
      hits: pods.flatMap(({ object, document, containers }) =>
        containers.toReversed().map(({ name, path }) => ({ object, document, path: [...path, 'name'], ...more(name) })),
      ),
    }),
  }
}
