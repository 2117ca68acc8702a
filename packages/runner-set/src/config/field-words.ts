// Says what is wrong with the value of a field. Zod's own words are for programmers: "Invalid input: expected number, received string".
import { nearest } from '@dayfly/kit/nearest'
import * as z from 'zod'

type Issue = z.core.$ZodRawIssue
type IssueOf<Code extends Issue['code']> = Extract<Issue, { code: Code }>

const unknownMax = 5
const wordLengthMax = 80

/**
 * Returns the sentence for an issue, or undefined to leave it to Zod. Pass it to `safeParse` as `error`.
 * A schema with a message of its own keeps that (https://zod.dev/error-customization).
 */
export function fieldWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue)
    case 'invalid_value':
      return wrongChoice(issue)
    case 'unrecognized_keys':
      return unknownFields(issue)
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    default:
      return undefined
  }
}

const typeWords: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
}

function wrongType({ expected, input }: IssueOf<'invalid_type'>): string {
  if (input === undefined) return 'the field is missing'
  const wanted = `the value must be ${typeWords[expected] ?? expected}`
  if (typeof input === 'number' || typeof input === 'boolean') {
    return `${wanted}, and is ${input}${expected === 'string' ? ': write it in quotes' : ''}`
  }
  if (typeof input !== 'string') return `${wanted}, and is ${wordOf(input)}`
  const isUnquoted = expected === 'boolean' ? /^(true|false)$/.test(input) : /^-?[0-9]+(\.[0-9]+)?$/.test(input)
  const isScalar = ['int', 'number', 'boolean'].includes(expected)
  return `${wanted}, and is the text ${quoted(input)}${isScalar && isUnquoted ? ': remove the quotes' : ''}`
}

function wordOf(input: unknown): string {
  if (input === null) return 'null'
  return Array.isArray(input) ? 'a list' : 'a mapping'
}

function wrongChoice({ values, input }: IssueOf<'invalid_value'>): string {
  const choices = values.map(String)
  return `the value must be one of ${choices.join(', ')}${hint(input, choices)}`
}

/** The schema of the issue is the mapping with the unknown fields. */
function unknownFields({ keys, inst }: IssueOf<'unrecognized_keys'>): string {
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : []
  const sentences = keys.slice(0, unknownMax).map((key) => `${quoted(key)} is not a field here${hint(key, known)}`)
  const more = keys.length - unknownMax
  return [...sentences, ...(more > 0 ? [`${more} more are not, either`] : [])].join('; ')
}

function tooSmall({ origin, minimum }: IssueOf<'too_small'>): string {
  if (origin === 'string') return minimum === 1 ? 'the text may not be empty' : `the text needs ${minimum} characters`
  if (origin === 'array') return minimum === 1 ? 'the list may not be empty' : `the list needs ${minimum} elements`
  return `the value must be at least ${minimum}`
}

function tooBig({ origin, maximum }: IssueOf<'too_big'>): string {
  if (origin === 'string') return `the text may have at most ${maximum} characters`
  if (origin === 'array') return `the list may have at most ${maximum} elements`
  return `the value may be at most ${maximum}`
}

function hint(typed: unknown, choices: readonly string[]): string {
  const meant = typeof typed === 'string' ? nearest(typed, choices) : undefined
  return meant === undefined ? '' : `, perhaps you mean ${meant}`
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, wordLengthMax))
}
