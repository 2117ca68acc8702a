// Renders the templates of other autoscalers: Jinja2 with `<%` and `%>` around expressions. Values of templates are the library's own, so no
// expression reaches JavaScript's objects.
import { Environment, type Node, parse } from '@huggingface/jinja'
import { TemplateBounds, TemplateRefused } from './template-bounds.ts'
import { TemplateInterpreter } from './template-interpreter.ts'
import { type PlacedToken, readTags } from './template-tags.ts'

export type Rendered =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly sentence: string; readonly line: number }

type Refusal = Extract<Rendered, { readonly ok: false }>

/** JSON values. */
export type TemplateVariables = Readonly<Record<string, unknown>>

/** Returns a function that renders the template with other variables each time. */
export function compileTemplate(template: string): (variables: TemplateVariables) => Rendered {
  const program = guarded(
    () => parsed(readTags(template)),
    () => 1,
  )
  return (variables) => {
    if ('sentence' in program) return program
    const bounds = new TemplateBounds()
    const text = guarded(
      () => new TemplateInterpreter(environmentOf(variables, bounds), bounds).run(program).value,
      () => bounds.line,
    )
    if (typeof text === 'object' && text !== null && 'sentence' in text) return text
    return { ok: true, text: String(text) }
  }
}

/** The parser names no place, so this function finds the last token that the parser has looked at. */
function parsed(tokens: readonly PlacedToken[]): Node {
  let last: PlacedToken | undefined
  const watched = tokens.map((token) => ({
    value: token.value,
    get type() {
      last = token
      return token.type
    },
  }))
  try {
    return parse(watched)
  } catch (error) {
    if (error instanceof RangeError) throw error
    const end = /^Close/.test(last?.type ?? '')
      ? 'the tag ends too early'
      : `unexpected "${last?.value.slice(0, 40)}" in a tag`
    throw new TemplateRefused(end, last?.line ?? 1)
  }
}

function guarded<T>(run: () => T, line: () => number): T | Refusal {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateRefused) return { ok: false, sentence: error.message, line: error.line }
    if (error instanceof RangeError) return { ok: false, sentence: 'it is nested too deeply', line: line() }
    return { ok: false, sentence: sentenceOf(error), line: line() }
  }
}

/** The library says `ArrayValue` for a list, and it fails with a TypeError at some expressions. */
function sentenceOf(error: unknown): string {
  if (error instanceof TypeError || !(error instanceof Error)) return 'the tag cannot be evaluated'
  return error.message.replace(/(\w+)Value\b|^[A-Z]/g, (word, kind = word) => kind.toLowerCase())
}

function environmentOf(variables: TemplateVariables, bounds: TemplateBounds): Environment {
  const environment = new Environment()
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null }
  const range = (...given: readonly unknown[]) => rangeOf(given, bounds)
  for (const [name, value] of Object.entries({ ...constants, range, ...variables })) environment.set(name, value)
  return environment
}

function rangeOf(given: readonly unknown[], bounds: TemplateBounds): readonly number[] {
  const [from = 0, to = 0, step = 1] = (given.length === 1 ? [0, ...given] : given).map((one) =>
    Number.isInteger(one) ? Number(one) : Number.NaN,
  )
  const size = Math.max(0, Math.ceil((to - from) / step))
  if (!Number.isFinite(size)) bounds.refuse('range needs whole numbers')
  bounds.size(0, size)
  return Array.from({ length: size }, (_, index) => from + index * step)
}
