import { expect, it } from 'vitest'
import { costLabelsOf } from './cost-labels.ts'

it.each([
  ['acme/web', 'acme.web'],
  ['acme/_x_', /^acme\._x-[a-z0-9]{8}$/],
  ['größe/web', /^gr__e\.web-[a-z0-9]{8}$/],
  ['日本', /^[a-z0-9]{8}$/],
  [`acme/${'x'.repeat(58)}`, `acme.${'x'.repeat(58)}`],
  [`acme/${'x'.repeat(70)}`, /^acme\.x{49}-[a-z0-9]{8}$/],
])('the repository %s has the label %s', (repository, expected) => {
  const value = costLabelsOf({ repository, workflow: 'ci.yml' })['dayfly.dev/repository']
  if (typeof expected === 'string') expect(value).toBe(expected)
  else expect(value).toMatch(expected)
})
