// Writes docs/guide/troubleshooting.md from the closed list of reasons: npx tsx scripts/generate-troubleshooting.ts
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { troubleshootingPage } from './troubleshooting-page.ts'

const folder = path.resolve(import.meta.dirname, '../docs/guide')
mkdirSync(folder, { recursive: true })
writeFileSync(path.join(folder, 'troubleshooting.md'), troubleshootingPage())
