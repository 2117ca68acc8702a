import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffLines, unifiedDiff } from './line-diff.ts'

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'x: 1\r'), { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''))

describe('diffLines', () => {
  it('returns changes that turn one text into the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? []
        for (const { from, removed, added } of [...diffLines(before, after)].reverse()) {
          expect(lines.slice(from, from + removed.length)).toEqual(removed)
          lines.splice(from, removed.length, ...added)
        }
        expect(lines.join('')).toBe(after)
      }),
      { numRuns: 500 },
    )
  })

  it('returns the shortest script: one added line is one change of one line', () => {
    expect(diffLines('a\nb\na\n', 'a\nb\nb\na\n')).toEqual([{ from: 2, removed: [], added: ['b\n'] }])
  })
})

describe('unifiedDiff', () => {
  it('returns a patch that git applies', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'diff-'))
    try {
      const file = path.join(folder, 'f.yaml')
      const long = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('')
      const pairs = [
        ['a\nb\nc\n', 'a\nB\nc\n'],
        ['a\nb', 'a\nb\nc'],
        [long, long.replace('line 3\n', '').replace('line 30\n', 'line 30\nmore\n')],
        ['a\r\nb\r\n', 'a\r\nc\r\nb\r\n'],
        ['x\n', 'y\n'],
      ] as const
      for (const [before, after] of pairs) {
        writeFileSync(file, before)
        execFileSync('git', ['apply', '-'], { cwd: folder, input: unifiedDiff('f.yaml', before, after) })
        expect(readFileSync(file, 'utf8')).toBe(after)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('returns an empty text for equal texts', () => {
    expect(unifiedDiff('f', 'a\n', 'a\n')).toBe('')
  })
})
