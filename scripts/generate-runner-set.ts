// Writes docs/runner-set.md from the schema: npx tsx scripts/generate-runner-set.ts
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { runnerSetPage } from './runner-set-page.ts'

const docs = path.resolve(import.meta.dirname, '../docs')
writeFileSync(path.join(docs, 'runner-set.md'), runnerSetPage())
