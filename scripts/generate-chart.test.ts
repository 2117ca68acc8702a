import { readFileSync } from 'node:fs'
import path from 'node:path'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { generatedChartFiles } from './chart/generated.ts'

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8')

it.each([...generatedChartFiles()])('%s is up to date: run "npx tsx scripts/generate-chart.ts"', (file, text) => {
  expect(read(file)).toBe(text)
})

it('names the present image and definition in the annotations of the chart', () => {
  const { annotations } = parse(read('deploy/chart/Chart.yaml'))
  const { version } = JSON.parse(read('package.json'))
  const [image] = parse(annotations['artifacthub.io/images'])
  expect(image.image).toBe(`${parse(read('deploy/chart/values.yaml')).image.repository}:${version}`)
  const { metadata, spec } = runnerSetCrd()
  expect(parse(annotations['artifacthub.io/crds'])).toMatchObject([
    { kind: spec.names.kind, name: metadata.name, version: spec.versions[0]?.name },
  ])
})

it.each(['chart', 'chart-runner-set'])('gives deploy/%s the version of the program', (chart) => {
  const { version } = JSON.parse(read('package.json'))
  expect(parse(read(`deploy/${chart}/Chart.yaml`))).toMatchObject({ version, appVersion: version })
})
