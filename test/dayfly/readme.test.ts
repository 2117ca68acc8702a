// Runs the commands of README.md with the built program and compares what they print.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { normalized, readBlocks, runBlock } from '../../scripts/readme-blocks.ts'

const blocks = readBlocks(readFileSync('README.md', 'utf8'))

describe('README.md', () => {
  it('shows the output of the demo and of the doctor', () => {
    expect(blocks.map(({ command }) => command.split(' ')[1])).toEqual(['demo', 'doctor'])
  })

  it.each(blocks)('$command prints what the page shows: run "npx tsx scripts/generate-readme.ts"', (block) => {
    expect(block.output).not.toBe('')
    expect(normalized(runBlock(block.command))).toBe(normalized(block.output))
  })
})
