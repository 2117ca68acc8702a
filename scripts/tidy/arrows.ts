// Checks the imports between the rooms of src/: the table, the siblings, the test support, the cycles.
import { type Finding, isTest, isTestSupport, type Source } from './source.ts'

/** Maps each room of src/ to the rooms that it may import. A path names one file. */
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
  operate: [
    'config',
    'controller/observe/explain.ts',
    'controller/observe/pod-facts.ts',
    'controller/observe/pod-object.ts',
    'controller/resources.ts',
    'core',
    'forge/forge.ts',
    'forge/account.ts',
    'kubernetes',
    'model',
    'lib',
  ],
  migrate: ['config', 'model', 'lib'],
  lab: ['embedded', 'emulator', 'controller', 'doctor', 'kubernetes', 'model', 'lib'],
  cli: [
    'config',
    'controller',
    'core',
    'doctor',
    'embedded',
    'emulator',
    'forge',
    'kubernetes',
    'lab',
    'migrate',
    'operate',
    'lib',
    'model',
  ],
}

/** Pure rooms import no package and no module of Node. */
const pure: ReadonlySet<string> = new Set(['model', 'core'])

/** Folders whose members never import each other. A `catalogue.ts` lists the members and is not one of them. */
const families: readonly RegExp[] = [
  /^src\/(forge)\/([a-z]+)\//,
  /^src\/(emulator)\/(github|bitbucket|gitea)\//,
  /^src\/(migrate)\/([a-z-]+)\//,
  /^src\/(lab\/incidents)\/([^/]+)/,
  /^src\/(embedded\/runtime)\/([a-z]+)\//,
  /^src\/(doctor\/rules)\/(?!catalogue\.ts$)([^/]+)/,
]

/** Checks production code. Rooms outside src/ may import everything, and nothing may import them. */
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

/** Finds rooms of the table that have no files. */
export function checkRooms(files: readonly string[]): Finding[] {
  return Object.keys(arrows)
    .filter((room) => !files.some((file) => file.startsWith(`src/${room}/`)))
    .map((room) => {
      const message = `names the room src/${room}, which does not exist`
      return { rule: 'arrow', path: 'scripts/tidy/arrows.ts', line: 1, message }
    })
}

function checkPackage(from: string, specifier: string): string | undefined {
  const room = roomOf(from)
  return room && pure.has(room) ? `${room} is pure and may not import ${specifier}` : undefined
}

function checkFile(from: string, to: string): string | undefined {
  if (isTest(to)) return `no file may import a test: ${to}`
  if (isTestSupport(to) && from.startsWith('src/') && !isTestSupport(from)) {
    return `only tests and their support may import ${to}`
  }
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

/** Returns the folder below src/, or undefined for a file elsewhere. */
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
