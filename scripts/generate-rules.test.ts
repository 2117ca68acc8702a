import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { generatedFiles } from './generated.ts'
import { hasPolicy, policyBundle, whyNoPolicy } from './policies.ts'
import { symptoms } from './symptoms.ts'

const root = path.resolve(import.meta.dirname, '..')

describe('the files that are generated from the rules', () => {
  it('are up to date: run "npx tsx scripts/generate-rules.ts"', () => {
    const files = generatedFiles()
    for (const [file, text] of files) expect(readFileSync(path.join(root, file), 'utf8'), file).toBe(text)
  })

  it('link to the page of every rule', () => {
    const folder = path.join(root, 'docs/rules')
    const index = readFileSync(path.join(folder, 'README.md'), 'utf8')
    const linked = [...index.matchAll(/\]\(([^)]+)\/([\w-]+)\.md\)/g)].map(([, at = '', slug = '']) => [at, slug])
    expect(new Set(linked.map(([, slug]) => slug))).toEqual(new Set(catalogue.map(({ slug }) => slug)))
    for (const [at = '', slug] of linked) expect(existsSync(path.join(folder, at, `${slug}.md`)), slug).toBe(true)
  })

  it('list every rule under a symptom', () => {
    const found = new Set(symptoms.flatMap(({ rules }) => rules))
    expect(catalogue.filter(({ slug }) => !found.has(slug)).map(({ slug }) => slug)).toEqual([])
  })
})

describe('the admission policies', () => {
  const documents = parseAllDocuments(policyBundle()).map((document) => document.toJS())
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
