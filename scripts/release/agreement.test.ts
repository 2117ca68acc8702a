import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { problemsOf, type ReleaseFacts } from './agreement.ts'
import { readFacts } from './facts.ts'
import { notesOf, withLinksTo } from './notes.ts'

const changelog = `# Changelog

Some words.

## 1.10.0

### Doctor

## 1.2.0 (2027-01-31)

### Runners

- One line about 1.1.0.

## 1.1.0 (not released yet)
- Another line.
`

describe('the notes of a version', () => {
  it('are its section up to the next one, without the heading', () => {
    expect(notesOf(changelog, '1.2.0')).toEqual({
      is: 'found',
      date: '2027-01-31',
      text: '### Runners\n\n- One line about 1.1.0.\n',
    })
    expect(notesOf(changelog.replaceAll('\n', '\r\n'), '1.2.0')).toEqual(notesOf(changelog, '1.2.0'))
  })

  it('have no date before the release', () => {
    expect(notesOf(changelog, '1.1.0')).toEqual({ is: 'found', date: undefined, text: '- Another line.\n' })
  })

  it('link to the files of the tag', () => {
    const text = 'See [a](docs/a.md#b), [c](https://d.example/) and [e](#f).'
    expect(withLinksTo('https://forge.example/a/b/blob/v1', text)).toBe(
      'See [a](https://forge.example/a/b/blob/v1/docs/a.md#b), [c](https://d.example/) and [e](#f).',
    )
  })

  it.each([
    ['1.1', 'missing'],
    ['1.2.0-rc.1', 'missing'],
    ['', 'missing'],
    ['1.10.0', 'empty'],
  ])('the section of %j is %s', (version, is) => {
    expect(notesOf(changelog, version)).toEqual({ is })
  })
})

describe('the check of a release', () => {
  const publication = { tag: 'v1.2.0', repository: 'https://forge.example/a/b' }
  const facts: ReleaseFacts = {
    version: '1.2.0',
    stated: [{ place: 'deploy/chart/Chart.yaml: version', version: '1.2.0' }],
    notes: notesOf(changelog, '1.2.0'),
    repositories: new Map([['a/package.json', 'git+https://forge.example/a/b.git']]),
  }
  const places = (changed: Partial<ReleaseFacts>, to: Parameters<typeof problemsOf>[1]) =>
    problemsOf({ ...facts, ...changed }, to).map(({ place }) => place)

  it('finds nothing if all places agree', () => {
    expect(problemsOf(facts, publication)).toEqual([])
  })

  it.each<[string, Partial<ReleaseFacts>, string]>([
    ['a chart of another version', { stated: [{ place: 'x', version: '1.2.1' }] }, 'x'],
    ['a package without a version', { stated: [{ place: 'x', version: undefined }] }, 'x'],
    ['a changelog without the version', { notes: { is: 'missing' } }, 'CHANGELOG.md'],
    ['a changelog without a change', { notes: { is: 'empty' } }, 'CHANGELOG.md'],
  ])('refuses %s, also in a trial', (_what, changed, place) => {
    expect(places(changed, undefined)).toEqual([place])
    expect(places(changed, publication)).toEqual([place])
  })

  it.each<[string, Partial<ReleaseFacts>, string]>([
    ['a tag of another version', { version: '1.2.1', stated: [] }, 'the tag'],
    ['notes without a date', { notes: notesOf(changelog, '1.1.0') }, 'CHANGELOG.md'],
    ['a package without a repository', { repositories: new Map([['x', undefined]]) }, 'x: repository'],
    ['a package of another one', { repositories: new Map([['x', 'https://forge.example/b']]) }, 'x: repository'],
  ])('refuses %s, but not in a trial', (_what, changed, place) => {
    expect(places(changed, undefined)).toEqual([])
    expect(places(changed, publication)).toEqual([place])
  })
})

it('reads each version of this repository, and they agree', async () => {
  const facts = await readFacts()
  expect(problemsOf(facts, undefined)).toEqual([])
  const places = facts.stated.map(({ place }) => place)
  const { workspaces } = JSON.parse(readFileSync(path.resolve('package.json'), 'utf8')) as { workspaces: string[] }
  for (const folder of workspaces) expect(places).toContain(`${folder}/package.json: version`)
  expect(places).toContain('packages/doctor/package.json: devDependencies.@dayfly/kit')
  expect(places.filter((place) => place.startsWith('deploy/'))).toEqual([
    ...['version', 'appVersion', 'annotations["artifacthub.io/images"]'].map(
      (key) => `deploy/chart/Chart.yaml: ${key}`,
    ),
    ...['version', 'appVersion'].map((key) => `deploy/chart-runner-set/Chart.yaml: ${key}`),
  ])
  expect([...facts.repositories.keys()]).toEqual(
    ['packages/doctor', 'packages/dayfly'].map((at) => `${at}/package.json`),
  )
})
