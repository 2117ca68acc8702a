import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { catalogue } from '../rules/catalogue.ts'
import { chartOf, chartVersions } from './chart-versions.ts'

const chart = (path: string, range: string) => ({ path, text: `apiVersion: v2\nname: a\n${range}\n` })
const job = `apiVersion: batch/v1
kind: Job
metadata: { name: a }
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: Never
      initContainers:
        - { name: proxy, image: nginx, restartPolicy: Always }
      containers:
        - { name: work, image: busybox }
        - { name: docker, image: docker:dind }
`

describe('the version of a chart', () => {
  it('is that of the innermost chart with a version', () => {
    const charts = chartVersions([
      chart('a/Chart.yaml', 'kubeVersion: ">=1.30.0-0"'),
      chart('a/charts/b/Chart.yaml', 'kubeVersion: ">=1.33.0-0"'),
      chart('a/charts/c/Chart.yaml', 'version: 1.0.0'),
      chart('d/Chart.yaml', 'kubeVersion: soon'),
      chart('e/Chart.yaml', 'kubeVersion: "<1.20"'),
    ])
    const firstOf = (file: string) => chartOf(file, charts)?.version.minors[0]
    expect(charts.map(({ file }) => file)).toEqual(['a/Chart.yaml', 'a/charts/b/Chart.yaml'])
    expect(['a/values.yaml', 'a/templates/x/job.yaml', 'a/charts/c/values.yaml'].map(firstOf)).toEqual([30, 30, 30])
    expect(firstOf('a/charts/b/templates/job.yaml')).toBe(33)
    expect(['a/docs/job.yaml', 'values.yaml', 'ab/values.yaml', 'd/values.yaml'].map(firstOf)).toEqual(
      Array(4).fill(undefined),
    )
  })

  const examineWith = (range: string, minor?: number) => {
    const files = decodeFiles([chart('a/Chart.yaml', range), { path: 'a/templates/job.yaml', text: job }])
    const version = minor === undefined ? {} : { version: { minors: [minor], declared: true, from: 'a test' } }
    const { findings, coverage } = examine(files, catalogue, version)
    const [first] = findings.filter(({ rule }) => rule === 'dind-ordinary-container')
    const old = findings.filter(({ rule }) => rule === 'sidecar-unsupported-version')
    return { safety: first?.fix?.safety, old: old.map(({ message }) => message), charts: coverage.charts }
  }

  it('makes a fix safe if every allowed version has sidecars', () => {
    expect(examineWith('kubeVersion: ">=1.29.0-0"')).toMatchObject({
      safety: 'safe',
      old: [],
      charts: [{ file: 'a/Chart.yaml', range: '>=1.29.0-0' }],
    })
  })

  it('does not report a chart that also allows older versions', () => {
    expect(examineWith('kubeVersion: ">=1.21.0-0"')).toMatchObject({ safety: 'unsafe', old: [] })
  })

  it('names a chart that allows only versions without the used feature', () => {
    const { safety, old } = examineWith('kubeVersion: "<1.29.0-0"')
    expect(safety).toBeUndefined()
    expect(old).toEqual([expect.stringContaining('1.28 (kubeVersion <1.29.0-0 of a/Chart.yaml)')])
  })

  it('comes also from a chart around the files, which does not count as a seen file', () => {
    const files = decodeFiles([{ path: 'a/templates/job.yaml', text: job }])
    const charts = [chart('a/Chart.yaml', 'kubeVersion: ">=1.29.0-0"')]
    const { findings, coverage } = examine(files, catalogue, { charts })
    expect(findings.find(({ rule }) => rule === 'dind-ordinary-container')?.fix?.safety).toBe('safe')
    expect(coverage).toMatchObject({ files: { seen: 1 }, leftOut: [], charts: [{ file: 'a/Chart.yaml' }] })
  })

  it('is ignored if a version is declared', () => {
    expect(examineWith('kubeVersion: ">=1.29.0-0"', 28)).toMatchObject({ safety: undefined, charts: [] })
  })
})
