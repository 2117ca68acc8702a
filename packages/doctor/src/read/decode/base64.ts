// Decodes base64 text in the data of Secrets and the binary data of ConfigMaps.
import { isJsonObject } from '@dayfly/kit/read-json'

const lettersMax = 1024 * 1024
/** The field with base64 text, by kind. */
const fields: Readonly<Record<string, string>> = { Secret: 'data', ConfigMap: 'binaryData' }

type Encoded = { readonly field: string; readonly key: string; readonly text: string }

/** Returns the texts that an object holds in base64. */
export function encodedTexts(object: Readonly<Record<string, unknown>>): readonly Encoded[] {
  const { kind } = object
  const field = typeof kind === 'string' && Object.hasOwn(fields, kind) ? fields[kind] : undefined
  const data = field === undefined ? undefined : object[field]
  if (field === undefined || !isJsonObject(data)) return []
  return Object.keys(data).flatMap((key) => {
    const text = decodeBase64(data[key])
    return text === undefined ? [] : [{ field, key, text }]
  })
}

/** Returns undefined if the value is not base64, or not text. */
function decodeBase64(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > lettersMax) return undefined
  const letters = value.replace(/\s+/g, '')
  if (letters.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(letters)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(letters, 'base64'))
  } catch {
    return undefined
  }
}
