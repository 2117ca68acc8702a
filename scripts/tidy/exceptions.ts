// Applies the list of exceptions: `rule path  # reason`, at most ten lines, each still necessary.
import type { Finding } from './source.ts'

const exceptionsMax = 10

/** Returns the findings that remain, and the errors of the list itself. */
export function applyExceptions(findings: readonly Finding[], path: string, text: string): Finding[] {
  const used = new Set<string>()
  const broken: Finding[] = []
  const allowed = new Map<string, number>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const match = /^(\S+) (\S+) {2}# \S.{8,}$/.exec(line)
    if (match) allowed.set(`${match[1]} ${match[2]}`, index + 1)
    else broken.push({ rule: 'exception', path, line: index + 1, message: 'is not "rule path  # reason"' })
  }
  const left = findings.filter((finding) => {
    const key = `${finding.rule} ${finding.path}`
    if (!allowed.has(key)) return true
    used.add(key)
    return false
  })
  for (const [key, line] of allowed) {
    if (!used.has(key)) broken.push({ rule: 'exception', path, line, message: `"${key}" is no longer necessary` })
  }
  if (allowed.size > exceptionsMax) {
    const message = `${allowed.size} exceptions, at most ${exceptionsMax}`
    broken.push({ rule: 'exception', path, line: 1, message })
  }
  return [...left, ...broken]
}
