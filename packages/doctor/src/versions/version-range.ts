// Finds the minor versions of Kubernetes that a range allows, as Helm reads a chart's `kubeVersion`.
import type { Minor } from '../facts.ts'

/** Returns minor versions of 1.x; undefined if the text is no range. A pre-release (`-0`) does not matter. */
export function minorsWithin(range: string, minors: readonly Minor[]): readonly Minor[] | undefined {
  const choices = range.split('||').map(readChoice)
  if (!choices.every((choice) => choice !== undefined)) return undefined
  return minors.filter((minor) => patches.some((patch) => choices.some((choice) => choice([1, minor, patch]))))
}

/** Enough patch releases to recognize a minor version that is only partly allowed. */
const patches = [0, ...Array.from({ length: 40 }, (_, index) => index + 1)]

type Version = readonly [major: number, minor: number, patch: number]
type Test = (version: Version) => boolean

const word =
  /^(>=|=>|<=|=<|!=|=|>|<|~>|~|\^)?\s*v?(\d{1,4}|[xX*])(?:\.(\d{1,4}|[xX*]))?(?:\.(\d{1,4}|[xX*]))?(?:[-+][\w.+-]*)?$/

function readChoice(text: string): Test | undefined {
  const spread = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(text)
  const words = spread ? [`>=${spread[1]}`, `<=${spread[2]}`] : cutWords(text)
  const tests = words.map(readWord)
  if (words.length === 0 || !tests.every((test) => test !== undefined)) return undefined
  return (version) => tests.every((test) => test(version))
}

/** Joins operators with their versions, which may be written apart. */
function cutWords(text: string): string[] {
  return text
    .replace(/([<>=!~^]+)\s+/g, '$1')
    .split(/[\s,]+/)
    .filter((part) => part !== '')
}

function readWord(text: string): Test | undefined {
  const match = word.exec(text)
  if (!match) return undefined
  const parts = match.slice(2, 5).map((part) => (part === undefined || /[xX*]/.test(part) ? undefined : Number(part)))
  const given = parts.slice(0, parts.includes(undefined) ? parts.indexOf(undefined) : 3) as number[]
  const low = (version: Version) => compare(version, [given[0] ?? 0, given[1] ?? 0, given[2] ?? 0])
  const within = (length: number) => (version: Version) => given.slice(0, length).every((n, at) => version[at] === n)
  const operator = match[1] ?? '='
  if (operator === '>=' || operator === '=>') return (version) => low(version) >= 0
  if (operator === '<') return (version) => low(version) < 0
  if (operator === '>') return (version) => low(version) > 0 && !(given.length < 3 && within(given.length)(version))
  if (operator === '<=' || operator === '=<') return (version) => low(version) <= 0 || within(given.length)(version)
  if (operator === '!=') return (version) => !within(given.length)(version)
  if (operator === '^') return (version) => low(version) >= 0 && within(1)(version)
  if (operator === '=') return within(given.length)
  return (version) => low(version) >= 0 && within(Math.min(2, given.length))(version)
}

function compare(left: Version, right: Version): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}
