// Writes the list of values that each release of ARC's chart gha-runner-scale-set documents or reads:
// npx tsx scripts/arc-values.ts <clone of https://github.com/actions/actions-runner-controller>
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { documentedValues, readValues } from './arc/chart-values.ts'

const file = path.resolve(import.meta.dirname, '../packages/dayfly/src/migrate/arc/chart-values.json')
const chart = 'charts/gha-runner-scale-set'
/** Older releases are not read: their controllers have other objects. */
const since = 9

const [clone] = process.argv.slice(2)
if (clone === undefined) throw new Error('Name a clone of ARC, with its tags.')
const git = (...args: readonly string[]) => execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' })

const tags = git('tag', '--list', 'gha-runner-scale-set-0.*', '--sort=version:refname').split('\n').filter(isRead)
const groups: { releases: string[]; documented: readonly string[]; read: readonly string[] }[] = []
for (const [release, at] of [...tags.map((tag) => [tag.replace(/^.*-/, ''), tag] as const), ['development', 'HEAD']]) {
  const templates = git('ls-tree', '-r', '--name-only', at ?? '', `${chart}/templates`)
    .split('\n')
    .filter(Boolean)
  const documented = documentedValues(git('show', `${at}:${chart}/values.yaml`))
  const read = readValues(templates.map((template) => git('show', `${at}:${template}`)).join('\n'))
  const last = groups.at(-1)
  if (JSON.stringify([last?.documented, last?.read]) === JSON.stringify([documented, read]))
    last?.releases.push(release ?? '')
  else groups.push({ releases: [release ?? ''], documented, read })
}
writeFileSync(file, `${JSON.stringify(groups, undefined, 2)}\n`)

function isRead(tag: string): boolean {
  return Number(/-0\.(\d+)\.\d+$/.exec(tag)?.[1] ?? 0) >= since
}
