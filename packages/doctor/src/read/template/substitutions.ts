// Resolves substitutions with a default, `${image:=docker:27-dind}`, as Flux does where nothing sets their variable.
import { isJsonObject } from '@dayfly/kit/read-json'

const substitution = /\$\{[A-Za-z_]\w*:[=-]([^${}]*)\}/
const everywhere = new RegExp(substitution, 'g')
/** One default may contain another. */
const depthMax = 3

/** Whether a substitution with a default writes all or part of the text. */
export function hasDefault(text: string): boolean {
  return substitution.test(text)
}

/** Scripts and files have substitutions of their own shell, and `substitute` has Flux's variables. */
const foreign: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData', 'command', 'args', 'substitute'])

/** Returns the value with the defaults of its fields of one line. The words of a list stay, because a shell may read them. */
export function withDefaults(value: unknown, text: string): unknown {
  return hasDefault(text) ? resolve(value, new Map()) : value
}

/** `known`: a value with aliases has many paths to one part. */
function resolve(value: unknown, known: Map<unknown, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const found = known.get(value)
  if (found !== undefined) return found
  if (Array.isArray(value)) {
    const list = value.map((each) => resolve(each, known))
    known.set(value, list)
    return list
  }
  if (!isJsonObject(value)) return value
  const fields = Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      if (foreign.has(key)) return [key, field]
      return [key, typeof field === 'string' ? resolveText(field) : resolve(field, known)]
    }),
  )
  known.set(value, fields)
  return fields
}

function resolveText(written: string): unknown {
  if (written.includes('\n') || !hasDefault(written)) return written
  let text = written
  for (let depth = 0; depth < depthMax && hasDefault(text); depth++) text = text.replace(everywhere, '$1')
  // Flux writes the default into the text of the manifest, where a number or a boolean needs no quotes.
  return /^(?:\d{1,15}|true|false)$/.test(text) && /^\$\{[^}]*\}+$/.test(written) ? JSON.parse(text) : text
}
