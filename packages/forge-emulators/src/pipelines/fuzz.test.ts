// Any change of a real pipelines file is read, or refused with problems that have a place in the file.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pipelinesKind } from '../source/kind.ts'
import { SourceError } from '../source/problem.ts'
import { checkSource } from '../source/source.ts'
import { parsePipeline } from './parse.ts'
import { startPipeline } from './run.ts'

const folder = path.resolve(import.meta.dirname, '../../../../examples/bitbucket')
const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'))

const pieces = [
  '- ',
  '&a ',
  '*a',
  '<<: *shard',
  '{',
  '[',
  ']',
  '}',
  ': ',
  '\n',
  '    ',
  '!!map ',
  'null',
  '0x1F',
  '"',
  "'",
  '|',
  '? ',
  '#',
]
const change = fc.record({
  at: fc.nat(2_000),
  remove: fc.nat(30),
  insert: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })),
})

test('a changed file is read, or refused with its lines', () => {
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 4 }), (text, changes) => {
      let changed = text
      for (const { at, remove, insert } of changes) {
        changed = changed.slice(0, at % changed.length) + insert + changed.slice((at % changed.length) + remove)
      }
      const lines = changed.split('\n').length
      try {
        const pipeline = parsePipeline(checkSource('test.yml', Buffer.from(changed), pipelinesKind))
        expect(startPipeline(pipeline).due().length).toBeGreaterThan(0)
        for (const step of pipeline.groups.flatMap(({ steps }) => steps)) {
          expect(step.script.length).toBeGreaterThan(0)
          expect(step.maxTimeMinutes).toBeGreaterThan(0)
        }
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        for (const { line, sentence, next } of error.problems) {
          expect(line).toBeGreaterThan(0)
          expect(line).toBeLessThanOrEqual(lines)
          expect([sentence, next].every((part) => /[.!?]$/.test(part))).toBe(true)
        }
      }
    }),
    { numRuns: 1_000 },
  )
})
