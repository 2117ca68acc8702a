// Finds the Helm releases of ARC's runners in a file of Terraform whose pod is in values that the doctor does not read.
// Without these, a report without findings would look like approval.
import type { Span } from '../yaml/span.ts'
import { findBlocks } from './find-releases.ts'
import { readString } from './read-string.ts'
import { nameAt, skipBlank, skipExpression, skipPair, skipPart } from './skip.ts'

/** `local`: the values are computed from a local value, which another part of the configuration has. */
type Unread = { readonly at: number; readonly message: string; readonly local: boolean }

export function unreadValues(text: string): readonly Unread[] {
  if (!text.includes('helm_release') || !text.includes('gha-runner-scale-set')) return []
  return findBlocks(text).flatMap(({ name, attributes, nested }) => {
    const chart = attributes.get('chart')
    if (!chart || !/gha-runner-scale-set"?\s*$/.test(text.slice(chart.start, chart.end))) return []
    const values = attributes.get('values')
    const source = values && sourceIn(text, values)
    const at = values?.start ?? chart.start
    if (source !== undefined) {
      const message = `the Helm release ${name}: its values are in ${source}, which the doctor does not read`
      return [{ at, message, local: source === 'local' }]
    }
    const sets = [...nested, ...(attributes.has('set') ? [attributes.get('set') ?? chart] : [])]
    const set = sets.find((span) => setsPod(text.slice(span.start, span.end)))
    const message = `the Helm release ${name}: "set" changes its pod, and the doctor does not read that`
    return set ? [{ at: set.start, message, local: false }] : []
  })
}

/** Whether a `set` may write in the template of the pod. A computed name may name anything. */
function setsPod(text: string): boolean {
  if (!/^(?:set|set_sensitive|set_list|dynamic\s+"set\w*"|\[)/.test(text)) return false
  const names = [...text.matchAll(/\bname\s*=\s*([^\n,}]*)/g)].map(([, name = '']) => name.trim())
  return names.some((name) => !name.startsWith('"') || /^"(?:template|containerMode)\b|^"[^"]*\$\{/.test(name))
}

/** Calls whose arguments the doctor reads as they are written. */
const transparent: ReadonlySet<string> = new Set(['yamlencode', 'jsonencode', 'tolist', 'toset', 'sensitive', 'concat'])

/** The files that the doctor reads themselves, as part of the folder that it examines. */
const readNames = /\.(?:ya?ml|json|tftpl|tpl)$/i

/** Returns the first call or variable from which the values come. Texts and objects in the file itself are read, and so are files of YAML. */
function sourceIn(text: string, { start, end }: Span): string | undefined {
  for (let at = skipBlank(text, start, true); at < end; at = skipBlank(text, at, true)) {
    if (text[at] === '{') {
      at = Math.max(at + 1, skipExpression(text, at, 'object'))
      continue
    }
    const name = nameAt(text, at)
    if (name !== undefined && !transparent.has(name)) {
      const call = /^(?:file|templatefile)\(\s*/.exec(text.slice(at, at + 200))
      const path = call ? readString(text, at + call[0].length) : undefined
      if (!path || !readNames.test(path.value)) return path ? `${name}("…${path.value.split('/').at(-1)}")` : name
      at = skipPair(text, at + name.length, '()')
    } else at = skipPart(text, at)
  }
  return undefined
}
