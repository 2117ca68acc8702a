// Writes the outputs in README.md with the built program: npx tsx scripts/generate-readme.ts
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeBlocks } from './readme-blocks.ts'

const file = path.resolve(import.meta.dirname, '../README.md')
writeFileSync(file, writeBlocks(readFileSync(file, 'utf8')))
