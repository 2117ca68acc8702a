// Translates property names of a schema to names that a CEL expression can select.
// Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules

const keywords = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** Returns the name that rules use for a property; undefined for a property that no rule can select. */
export function celName(property: string): string | undefined {
  if (keywords.has(property)) return `__${property}__`
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(property)) return undefined
  return property.replace(/__|[./-]/g, (part) => escapes[part] ?? part)
}
