// The tests of planted bugs take a minute, so `npm test` leaves them out. A change of a source that moves their place shows here at once.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { replaced } from './bundle.ts'
import { plantedBugs as bugsOfLives } from './lives/planted-bugs.ts'
import { plantedBugs } from './planted-bugs.ts'
import { plantedScaleBugs } from './planted-scale-bugs.ts'

const edits = [...plantedBugs, ...plantedScaleBugs, ...bugsOfLives].flatMap((bug) => bug.edits)

describe('a planted bug', () => {
  it('has its place in the sources', () => {
    for (const edit of edits) {
      const contents = readFileSync(new URL(`../${edit.file}`, import.meta.url), 'utf8')
      expect(() => replaced(contents, edit)).not.toThrow()
    }
  })
})
