// Writes docs/runner-set.md from the schema: npx tsx scripts/generate-runner-set.ts
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { runnerSetPage } from './runner-set-page.ts'

writeFileSync(path.resolve(import.meta.dirname, '../docs/runner-set.md'), runnerSetPage())
