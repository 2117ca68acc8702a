// Checks that each path in ARCHITECTURE.md exists, that it names each room, and that no file names a package registry's host.
import { type Finding, lineAt } from './source.ts'

export type Documents = {
  /** The paths of all files, from the repository's root. */
  readonly files: readonly string[]
  /** The text of each file that is not binary. */
  readonly texts: ReadonlyMap<string, string>
}

const architecture = 'ARCHITECTURE.md'

export function checkArchitecture({ files, texts }: Documents): Finding[] {
  const text = texts.get(architecture)
  if (text === undefined) return [finding(architecture, 1, 'the file is missing')]
  const known = new Set(files)
  for (const file of files) {
    for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) known.add(file.slice(0, at))
  }
  const top = new Set(files.map((file) => file.split('/')[0]))
  const findings: Finding[] = []
  for (const match of text.matchAll(/`([\w@.-]+(?:\/[\w@.*-]+)+\/?|[\w-]+\.(?:ts|md|json|yml|yaml|txt))`/g)) {
    const path = (match[1] ?? '').replace(/\/$/, '')
    if (path.includes('*') || !mayBePath(path, top) || known.has(path)) continue
    findings.push(finding(architecture, lineAt(text, match.index), `names "${path}", which does not exist`))
  }
  for (const room of roomsOf(files)) {
    if (!text.includes(room)) findings.push(finding(architecture, 1, `does not name the room ${room}`))
  }
  return findings
}

/** Returns true if the first part of a word with slashes is a folder of the root. */
function mayBePath(path: string, top: ReadonlySet<string | undefined>): boolean {
  const first = path.split('/')[0]
  return !path.includes('/') || top.has(first) || /^[a-z]+\/.*\.(?:ts|md|json|yml|yaml|txt)$/.test(path)
}

function roomsOf(files: readonly string[]): string[] {
  const rooms = files.map((file) => /^(packages\/[^/]+|[^/.]+)\//.exec(file)?.[1]).filter((room) => room !== undefined)
  return [...new Set(rooms)].filter((room) => room !== 'packages').sort()
}

// Each name is in parts, so that this file does not name a host itself.
const registryHosts = [
  ['registry', 'npmjs', 'org'],
  ['registry', 'yarnpkg', 'com'],
  ['proxy', 'golang', 'org'],
  ['sum', 'golang', 'org'],
  ['pypi', 'org'],
  ['static', 'crates', 'io'],
  ['index', 'crates', 'io'],
  ['repo1', 'maven', 'org'],
  ['deb', 'debian', 'org'],
].map((parts) => parts.join('.'))

export function checkHosts({ texts }: Documents): Finding[] {
  const findings: Finding[] = []
  for (const [path, text] of texts) {
    for (const host of registryHosts) {
      const at = text.indexOf(host)
      if (at < 0) continue
      const message = `names the registry host ${host}: the machine's own configuration chooses registries`
      findings.push({ rule: 'host', path, line: lineAt(text, at), message })
    }
  }
  return findings
}

function finding(path: string, line: number, message: string): Finding {
  return { rule: 'document', path, line, message }
}
