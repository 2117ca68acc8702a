// Checks that an action of the controller does I/O only: the core decides, and the fold keeps the state.
import { type Finding, isTest, isTestSupport, lineAt, type Source } from './source.ts'

const folder = 'packages/controller/src/act/'

const names: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  { pattern: /\bclock\b|\bClock\b/g, message: 'an action knows no time: the core decides when' },
  {
    pattern: /\.(?:after|sleep)\(|\bbackoffMs\b/g,
    message: 'an action does not wait or back off: the next tick is the retry',
  },
  { pattern: /\bcache\b/g, message: 'an action returns its outcome: the fold puts it into the state' },
]

/** A fact about a runner: `runner.pod`, `pod.startedAt`, `registration.is`. A name or an id is not one of them. */
const fact = String.raw`(?:\b\w+\??\.(?:pod|job|registration)\b|(?<![\w.])(?:pod|job|registration)\??\.(?!(?:name|uid|id)\b)\w+)`
const facts = new RegExp(fact, 'g')
const compared = new RegExp(
  String.raw`${fact}[\w.?]*\s*(?:[=!]==?|[<>]=?|&&|\|\||\?\?)|(?<=(?:[=!]==|&&|\|\||(?<![\w)\]])!)\s*)${fact}`,
  'g',
)

export function checkActions(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => path.startsWith(folder) && !isTest(path) && !isTestSupport(path))
    .flatMap((source) => [...checkNames(source), ...checkConditions(source)])
}

function checkNames({ path, code }: Source): Finding[] {
  return names.flatMap(({ pattern, message }) =>
    [...code.matchAll(pattern)].map(({ index }) => ({ rule: 'act', path, line: lineAt(code, index), message })),
  )
}

/** Finds facts in conditions, and comparisons of facts anywhere: one finding for each line. */
function checkConditions({ path, code }: Source): Finding[] {
  const inConditions = conditionsOf(code).flatMap(({ start, end }) =>
    [...code.slice(start, end).matchAll(facts)].map(({ index }) => start + index),
  )
  const inComparisons = [...code.matchAll(compared)].map(({ index }) => index)
  const lines = new Set([...inConditions, ...inComparisons].map((at) => lineAt(code, at)))
  const message = 'an action does not decide on facts about the runner: the decision names what to do'
  return [...lines].sort((a, b) => a - b).map((line) => ({ rule: 'act', path, line, message }))
}

type Range = { readonly start: number; readonly end: number }

/** Returns the conditions of `if`, `while` and `switch`, and those before the question mark of `a ? b : c`. */
function conditionsOf(code: string): Range[] {
  const heads = [...code.matchAll(/\b(?:if|while|switch)\s*\(/g)].map(({ 0: head, index }) => {
    const start = index + head.length
    return { start, end: closing(code, start) }
  })
  const choices = [...code.matchAll(/\s\?\s/g)].map(({ index }) => ({ start: opening(code, index), end: index }))
  return [...heads, ...choices]
}

/** Returns the position of the bracket that closes the one before `start`. */
function closing(code: string, start: number): number {
  let depth = 1
  for (let at = start; at < code.length; at++) {
    if ('([{'.includes(code[at] ?? '')) depth++
    if (')]}'.includes(code[at] ?? '')) depth--
    if (depth === 0) return at
  }
  return code.length
}

/** Returns where the expression that ends at `end` begins: after an assignment, a comma, an open bracket or `return`. */
function opening(code: string, end: number): number {
  let depth = 0
  for (let at = end - 1; at >= 0; at--) {
    const char = code[at] ?? ''
    if (')]'.includes(char)) depth++
    if ('(['.includes(char)) depth--
    if (depth < 0) return at + 1
    const assigns = char === '=' && !/[=!<>]/.test(code[at - 1] ?? '') && !/[=>]/.test(code[at + 1] ?? '')
    const arrow = char === '>' && code[at - 1] === '='
    const begins = assigns || arrow || ',;{}:'.includes(char) || /\breturn$/.test(code.slice(at - 6, at + 1))
    if (depth === 0 && begins) return at + 1
  }
  return 0
}
