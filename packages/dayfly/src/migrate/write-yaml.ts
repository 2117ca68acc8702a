// Writes a document as YAML that readers of version 1.1 and 1.2 read alike: kubectl reads `on` and `0644` as version 1.1 does.
import { parse, stringify } from 'yaml'

/** @param value JSON */
export function writeYaml(value: unknown): string {
  const text = stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
  const wanted = JSON.stringify(value)
  const isSafe = (['1.1', '1.2'] as const).every((version) => JSON.stringify(parse(text, { version })) === wanted)
  if (isSafe) return text
  const quoted = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const
  return stringify(value, { ...quoted, lineWidth: 0, aliasDuplicateObjects: false })
}
