// Writes the table of docs/guide/from-arc.md: npx tsx scripts/generate-from-arc.ts
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withValueTable } from './from-arc-page.ts'

const page = path.resolve(import.meta.dirname, '../docs/guide/from-arc.md')
writeFileSync(page, withValueTable(readFileSync(page, 'utf8')))
