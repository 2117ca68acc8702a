// Takes a file out of the manifest of a ConfigMap: installations keep configuration and template in one.
import { readYaml } from './yaml/read.ts'
import { isMapping } from './yaml/value.ts'

/** Returns the text of the key if the text is such a ConfigMap. Returns any other text unchanged. */
export function textInConfigMap(text: string, key: string): string {
  if (!/^kind:[ \t]*ConfigMap[ \t]*$/m.test(text)) return text
  const manifest = readYaml(text)
  const data = manifest.ok && isMapping(manifest.value) ? manifest.value.get('data') : undefined
  const inner = isMapping(data) ? data.get(key) : undefined
  return typeof inner === 'string' ? inner : text
}
