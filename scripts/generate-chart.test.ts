import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { generatedChartFiles } from './chart/generated.ts'

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8')

it.each([...generatedChartFiles()])('%s is up to date: run "npx tsx scripts/generate-chart.ts"', (file, text) => {
  expect(read(file)).toBe(text)
})

it.each(['chart', 'chart-runner-set'])('gives deploy/%s the version of the program', (chart) => {
  const { version } = JSON.parse(read('package.json'))
  expect(parse(read(`deploy/${chart}/Chart.yaml`))).toMatchObject({ version, appVersion: version })
})
