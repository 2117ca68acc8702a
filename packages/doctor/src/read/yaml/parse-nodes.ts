// Parses a text into nodes, with the values that kubectl and Helm read: `yes` is true, and `0644` is octal.
// Both read with sigs.k8s.io/yaml, whose scalars follow YAML 1.1 (https://github.com/kubernetes-sigs/yaml).
import { isScalar, parseDocument, type ScalarTag, visit, type Document as YamlDocument } from 'yaml'

const words: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
}

const integers: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?(?:0b[01_]+|0[0-7_]+|[0-9][0-9_]*)$/,
  resolve: (text) => integerOf(text.replaceAll('_', '')),
}

const binary: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  default: false,
  resolve: (text) => Buffer.from(text, 'base64').toString('utf8'),
}

/** Reads a number with a sign, and with a leading zero or a base. */
function integerOf(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[-+]/, '')
  if (digits.startsWith('0b')) return sign * Number.parseInt(digits.slice(2), 2)
  return sign * Number.parseInt(digits, /^0[0-7]+$/.test(digits) ? 8 : 10)
}

export function parseNodes(text: string): YamlDocument {
  const document = parseDocument(text, {
    prettyErrors: false,
    logLevel: 'silent',
    uniqueKeys: false,
    merge: true,
    customTags: (tags) => [words, integers, binary, ...tags],
  })
  if (/\b(?:y|n|yes|no|on|off)\s*:/i.test(text)) keepKeys(document)
  return document
}

/** A key stays as it is written: the `on` of a workflow. */
function keepKeys(document: YamlDocument): void {
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && typeof key.value === 'boolean' && words.test?.test(key.source ?? '')) key.value = key.source
    },
  })
}
