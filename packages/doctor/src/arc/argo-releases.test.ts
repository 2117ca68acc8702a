// The Applications that an ApplicationSet makes.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { gatherFacts } from '../engine/gather-facts.ts'
import { catalogue } from '../rules/catalogue.ts'
import { argoReleases } from './argo-releases.ts'

const applicationSet = (
  generators: string,
  { more = '', version = "'{{version}}'" } = {},
) => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: arc}
spec:
  generators: ${generators}
${more}
  template:
    metadata: {name: '{{name}}'}
    spec:
      sources:
        - {repoURL: 'https://git.example/values.git', ref: values}
        - {repoURL: 'oci://registry.example/{{repository}}', targetRevision: ${version}}
      destination: {name: '{{ .values.cluster }}'}
`
const element = (version: string, cluster = 'a', repository = 'gha-runner-scale-set') =>
  `{version: ${version}, repository: charts/${repository}, values: {cluster: ${cluster}}}`

const releasesIn = (text: string) =>
  argoReleases(gatherFacts(decodeFiles([{ path: 'a.yaml', text }]).flatMap(({ objects }) => objects)))
const saidOf = (text: string) =>
  releasesIn(text).map(({ version, cluster }) => [version?.version, version?.path.join('.'), cluster])

test('fills in the elements of plain lists, and places versions where they are written', () => {
  const at = (list: number, index: number) => `spec.generators.${list}.list.elements.${index}.version`
  const lists = `[{list: {elements: [${element('0.14.2')}, ${element('0.13.x', 'b')}]}}, {list: {elements: [${element('0.14.0')}]}}]`
  expect(saidOf(applicationSet(lists))).toEqual([
    ['0.14.2', at(0, 0), 'a'],
    [undefined, undefined, 'b'],
    ['0.14.0', at(1, 0), 'a'],
  ])
  const literal = applicationSet(lists, { version: '0.14.1' })
  expect(saidOf(literal)[0]).toEqual(['0.14.1', 'spec.template.spec.sources.1.targetRevision', 'a'])
})

test.each([
  ['a patch', applicationSet(`[{list: {elements: [${element('0.14.2')}]}}]`, { more: '  templatePatch: "a"' })],
  ['a template of a generator', applicationSet(`[{list: {elements: [${element('0.14.2')}], template: {spec: {}}}}]`)],
  ['elements that are computed', applicationSet("[{list: {elementsYaml: '{{ .x }}'}}]")],
  ['files', applicationSet('[{git: {files: [{path: "*.json"}]}}]')],
])('knows nothing about %s', (_, text) => {
  expect(releasesIn(text)).toEqual([])
})

test('finds a written chart under any generator, and its cluster only for the same generator', () => {
  const literal = (generators: string) =>
    applicationSet(generators, { version: '0.14.2' }).replace('{{repository}}', 'gha-runner-scale-set')
  const [first] = saidOf(literal('[{clusters: {}}]'))
  expect(first).toEqual(['0.14.2', expect.any(String), '{{ .values.cluster }} of [{"clusters":{}}]'])
  expect(saidOf(literal('[{clusters: {}}]'))[0]).toEqual(first)
  expect(saidOf(literal('[{clusters: {selector: {}}}]'))[0]?.[2]).not.toBe(first?.[2])
})

test('reports a problem of every cluster once', () => {
  const clusters = ['a', 'b', 'c']
  const list = (repository: string) =>
    `[{list: {elements: [${clusters.map((name) => element('0', name, repository)).join(', ')}]}}]`
  const controller = applicationSet(list('gha-runner-scale-set-controller'), { version: '0.14.2' })
  const text = `${controller}---\n${applicationSet(list('gha-runner-scale-set'), { version: '0.13.0' })}`
  const { findings } = examine(decodeFiles([{ path: 'a.yaml', text }]), catalogue)
  expect(findings.map(({ code, confidence }) => [code, confidence])).toEqual([
    ['FIN501', 'medium'],
    ['ARC404', 'high'],
  ])
})

test('takes the marker of a chart around it for a value of that chart', () => {
  const text = applicationSet(`[{list: {elements: [${element('0.14.2')}]}}]`, { version: '{{ .Values.version }}' })
  expect(saidOf(text)).toEqual([[undefined, undefined, 'a']])
})
