import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { generatedFiles } from './generated.ts'
import { hasPolicy, whyNoPolicy } from './policies.ts'
import { symptoms } from './symptoms.ts'

const root = path.resolve(import.meta.dirname, '..')

describe('the files that are generated from the rules', () => {
  it('are up to date: run "npx tsx scripts/generate-rules.ts"', () => {
    const files = generatedFiles()
    // The formatter formats the JSON file, so only its value is compared.
    const contentOf = (file: string, text: string): unknown => (file.endsWith('.json') ? JSON.parse(text) : text)
    for (const [file, text] of files) {
      const committed = readFileSync(path.join(root, file), 'utf8')
      expect(contentOf(file, committed), file).toEqual(contentOf(file, text))
    }
    const pages = [...files.keys()].flatMap((file) => (file.startsWith('docs/rules/') ? [path.basename(file)] : []))
    expect(readdirSync(path.join(root, 'docs/rules')).sort()).toEqual(pages.sort())
  })

  it('explain how to suppress a finding in a file, but not one in a cluster', () => {
    const files = generatedFiles()
    const suppressible = catalogue.filter(({ slug }) => files.get(`docs/rules/${slug}.md`)?.includes('doctor-ignore['))
    expect(suppressible).toEqual(catalogue.filter(({ modes }) => modes.includes('static')))
  })

  it('have at most 60 lines a page', () => {
    const pages = [...generatedFiles()].filter(
      ([file]) => file.startsWith('docs/rules/') && !file.endsWith('README.md'),
    )
    expect(pages).toHaveLength(catalogue.length)
    const tooLong = pages.filter(([, text]) => text.split('\n').length - 1 > 60)
    expect(tooLong.map(([file]) => file)).toEqual([])
  })

  it('list every rule under a symptom', () => {
    const found = new Set(symptoms.flatMap(({ rules }) => rules))
    expect(catalogue.filter(({ slug }) => !found.has(slug)).map(({ slug }) => slug)).toEqual([])
  })
})

describe('the admission policies', () => {
  const text = readFileSync(path.join(root, 'deploy/doctor-policies.yaml'), 'utf8')
  const documents = parseAllDocuments(text).map((document) => document.toJS())
  const policies = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
  const bindings = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding')

  it('cover every rule for files, or the index says why not', () => {
    const forFiles = catalogue.filter(({ modes }) => modes.includes('static'))
    expect(forFiles.filter((rule) => !hasPolicy(rule) && !whyNoPolicy(rule)).map(({ slug }) => slug)).toEqual([])
    const names = catalogue.filter(hasPolicy).map(({ slug, code }) => `${code.toLowerCase()}-${slug}.dayfly.dev`)
    expect(policies.map(({ metadata }) => metadata.name)).toEqual(names)
  })

  it('refuse nothing by default, and each has one binding', () => {
    for (const { spec } of policies) expect(spec.failurePolicy).toBe('Ignore')
    expect(bindings.map(({ spec }) => spec.policyName)).toEqual(policies.map(({ metadata }) => metadata.name))
    for (const { spec } of bindings) expect([['Warn', 'Audit'], ['Audit']]).toContainEqual(spec.validationActions)
  })
})
