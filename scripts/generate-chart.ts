// Writes the files of the charts that derive from the code: npx tsx scripts/generate-chart.ts
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { generatedChartFiles } from './chart/generated.ts'

for (const [file, text] of generatedChartFiles()) writeFileSync(path.resolve(import.meta.dirname, '..', file), text)
