// Recognizes credentials in values, so that none of them gets into the output.
import { isJsonObject, type Path } from '@dayfly/kit/read-json'
import { cleanText, removed } from '../clean-text.ts'
import type { Values } from '../values.ts'

const namesCredential = /(TOKEN|PASSWORD|PASSWD|SECRET|SECRET_KEY|PRIVATE_KEY|API_?KEY|ACCESS_KEY)$/i
/** A path, a reference to another variable or a switch is no credential. */
const isHarmless = /^(|true|false|\d{1,4}|\/.*|.*\$\(.*|.*[{}<>\uE000].*)$/s

/** Whether a variable holds a credential, or held one. */
export function isCredential(name: string, value: string | undefined): boolean {
  if (value === undefined) return false
  return value.includes(removed) || (namesCredential.test(name) && !isHarmless.test(value))
}

export type Cleaned = { readonly values: Values; readonly found: readonly Path[] }

/**
 * Removes every text that looks like a credential. Broken YAML may have one in a key, too. The Secret of ARC and its
 * proxy are converted on their own.
 */
export function withoutCredentials(values: Values): Cleaned {
  const found: Path[] = []
  const visit = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') {
      const clean = cleanText(value)
      // A variable becomes a reference.
      if (clean !== value && !(path.at(-1) === 'value' && path.at(-3) === 'env')) found.push(path)
      return clean
    }
    if (Array.isArray(value)) return value.map((entry, index) => visit(entry, [...path, index]))
    if (!isJsonObject(value)) return value
    const isConverted = (key: string) => path.length === 0 && (key === 'githubConfigSecret' || key === 'proxy')
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const clean = cleanText(key)
        const at = [...path, clean]
        if (clean !== key) found.push(at)
        return [clean, isConverted(key) ? member : visit(member, at)]
      }),
    )
  }
  const root = visit(values.root, []) as Values['root']
  return { values: { ...values, root }, found }
}
