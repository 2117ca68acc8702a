// Any template and any configuration: the import ends soon, without a crash, and its report names each path once.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { writeYaml } from '../write-yaml.ts'
import { yamlPieces } from '../yaml-pieces.fixture.ts'
import { readConfiguration } from './configuration.ts'
import { importAutoscaler } from './import.ts'
import { compileJobTemplate } from './job-template.ts'
import { leavesOf } from './yaml/value.ts'

const folder = path.resolve(import.meta.dirname, '../../../../../test/dayfly/migrate/bitbucket-autoscaler')
const shapes = readdirSync(folder).map((shape) => ({
  configuration: readFileSync(path.join(folder, shape, 'runners_config.yaml'), 'utf8'),
  template: readFileSync(path.join(folder, shape, 'job.yaml.template'), 'utf8'),
}))

const pieces = fc.constantFrom(
  ...yamlPieces,
  ...['<% runner_uuid %>', '<%', '%>', '{% if x %}', '{%- endif %}', '{% for k, v in node_selector.items() %}'],
  ...['!!int ', '1e3', '|', 'name: docker', 'image: docker:dind', 'command: [dockerd]'],
  ...['env:', 'volumeMounts: []', 'emptyDir: {}'],
)

type Change = { readonly at: number; readonly remove: number; readonly insert: string }

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 30 }),
  insert: fc.oneof(pieces, fc.constant('')),
})

/** Cuts whole lines more often than letters, because more of these texts stay readable. */
function changed(text: string, changes: readonly Change[]): string {
  return changes.reduce((before, { at, remove, insert }) => {
    const lines = before.split('\n')
    const index = at % lines.length
    const line = lines[index] ?? ''
    if (remove > 20) return lines.toSpliced(index, 1).join('\n')
    const column = (at >> 8) % (line.length + 1)
    const next = line.slice(0, column) + insert + line.slice(column + (insert === '' ? remove : 0))
    return lines.toSpliced(index, 1, next).join('\n')
  }, text)
}

it('ends for any change of a file, and names each path of both once', () => {
  let accepted = 0
  const few = fc.array(change, { maxLength: 1 })
  const more = fc.array(change, { maxLength: 3 })
  fc.assert(
    fc.property(fc.constantFrom(...shapes), few, more, ({ configuration, template }, one, other) => {
      const texts = { configuration: changed(configuration, one), template: changed(template, other) }
      const result = importAutoscaler({ ...texts, mode: 'corrected', strategy: 'percentage', defaultSpec: {} })
      if (!result.ok) {
        for (const { sentence } of result.problems) expect(sentence).toMatch(/\S \S.*[.]$/s)
        return
      }
      accepted += 1
      const read = readConfiguration(texts.configuration, 'corrected')
      const { groups, source } = read.ok ? read.configuration : expect.fail()
      const lines = [...result.lines, ...result.sets.flatMap((set) => set.lines)]
      const paths = lines.filter(({ file }) => file === 'configuration').map((line) => line.path)
      expect(paths.sort()).toEqual([...leavesOf(source, '')].sort())
      for (const [index, set] of result.sets.entries()) {
        const rendered = compileJobTemplate(texts.template, 'corrected')(groups[index]!)
        const list = rendered.ok ? rendered.template.list : expect.fail()
        const named = set.lines.filter(({ file }) => file === 'template').map((line) => line.path)
        expect(named.sort()).toEqual([...leavesOf(list, '')].sort())
        expect(parse(writeYaml(set.document))).toEqual(JSON.parse(JSON.stringify(set.document)))
        expect(JSON.stringify(set.document)).not.toMatch(/aaaaaaaa|bbbbbbbb/)
      }
    }),
    { numRuns: 80 },
  )
  expect(accepted).toBeGreaterThan(8)
})
