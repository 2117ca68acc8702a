// Which room may import which (design chapter 4): the table, the siblings, the cycles.
import { type Finding, isTest, type Source } from './source.ts'

/** For each room of src/, the rooms it may import besides itself. A path names one file. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  model: ['lib'],
  core: ['model', 'lib'],
  config: ['model', 'lib'],
  kubernetes: ['model', 'lib'],
  forge: ['model', 'lib'],
  controller: ['core', 'kubernetes', 'forge/forge.ts', 'model', 'lib'],
  embedded: ['lib'],
  emulator: ['model', 'lib'],
  doctor: ['kubernetes', 'forge/forge.ts', 'forge/account.ts', 'model', 'lib'],
  dashboard: ['controller', 'model', 'lib'],
  lab: ['embedded', 'emulator', 'controller', 'doctor', 'kubernetes', 'model', 'lib'],
  cli: [
    'config',
    'controller',
    'core',
    'dashboard',
    'doctor',
    'embedded',
    'emulator',
    'forge',
    'kubernetes',
    'lab',
    'lib',
    'model',
  ],
}

/** Rooms that are pure: no package, nothing of Node. */
const pure: ReadonlySet<string> = new Set(['model', 'core'])

/** Folders whose members never import each other; a `catalogue.ts` that lists them is none. */
const families: readonly RegExp[] = [
  /^src\/(forge)\/([a-z]+)\//,
  /^src\/(emulator)\/(github|bitbucket|gitea)\//,
  /^src\/(embedded\/runtime)\/([a-z]+)\//,
  /^src\/(doctor\/rules)\/(?!catalogue\.ts$)([^/]+)/,
  /^src\/(lab)\/(?!catalogue\.ts$)([^/]+)/,
]

/** Rooms outside src/ may import everything; nothing imports them. */
export function checkArrows(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = []
  for (const source of sources) {
    if (isTest(source.path)) continue
    for (const { file, specifier, line } of source.imports) {
      const message = file === undefined ? checkPackage(source.path, specifier) : checkFile(source.path, file)
      if (message) findings.push({ rule: 'arrow', path: source.path, line, message })
    }
  }
  return [...findings, ...findCycles(sources)]
}

function checkPackage(from: string, specifier: string): string | undefined {
  const room = roomOf(from)
  return room && pure.has(room) ? `${room} is pure and may not import ${specifier}` : undefined
}

function checkFile(from: string, to: string): string | undefined {
  if (isTest(to)) return `a test is imported: ${to}`
  const room = roomOf(from)
  if (room === undefined) return undefined
  const target = roomOf(to)
  if (target === undefined) return `src/ may not import ${to}`
  const allowed = arrows[room]
  if (!allowed) return `the room src/${room} is not in the table of arrows`
  const fits = room === target || allowed.includes(target) || allowed.some((path) => to === `src/${path}`)
  if (!fits) return `${room} may not import ${to.replace('src/', '')}: it may import ${allowed.join(', ') || 'nothing'}`
  return siblings(from, to) ? `siblings never import each other: ${to}` : undefined
}

function siblings(from: string, to: string): boolean {
  return families.some((family) => {
    const [, one, left] = family.exec(from) ?? []
    const [, other, right] = family.exec(to) ?? []
    return one !== undefined && one === other && left !== right
  })
}

/** The folder below src/; undefined for what stands elsewhere. */
function roomOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(file)?.[1]
}

function findCycles(sources: readonly Source[]): Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const done = new Set<string>()
  const findings: Finding[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      const message = `imports go in a circle: ${[...trail.slice(at), path].join(' → ')}`
      findings.push({ rule: 'cycle', path, line: 1, message })
      return
    }
    if (done.has(path)) return
    for (const { file } of byPath.get(path)?.imports ?? []) {
      if (file !== undefined && byPath.has(file)) visit(file, [...trail, path])
    }
    done.add(path)
  }
  for (const source of sources) visit(source.path, [])
  return findings
}
