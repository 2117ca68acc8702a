// Writes the table of docs/guide/metrics.md: npx tsx scripts/generate-metrics.ts
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withMetricTable } from './metrics-page.ts'

const page = path.resolve(import.meta.dirname, '../docs/guide/metrics.md')
writeFileSync(page, withMetricTable(readFileSync(page, 'utf8')))
