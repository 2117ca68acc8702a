// The syntax of names, label keys and label values, with Kubernetes' own messages.
// Source:
// https://github.com/kubernetes/kubernetes/tree/release-1.36/staging/src/k8s.io/apimachinery/pkg/api/validate/content

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelPattern = new RegExp(`^${label}$`)
const subdomain = `${label}(\\.${label})*`
const subdomainPattern = new RegExp(`^${subdomain}$`)
const dnsName = '[a-z]([-a-z0-9]*[a-z0-9])?'
const namePattern = new RegExp(`^${dnsName}$`)
const keyPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const keyPattern = new RegExp(`^${keyPart}$`)
const valuePattern = new RegExp(`^(${keyPart})?$`)
const configKey = '[-._a-zA-Z0-9]+'
const configKeyPattern = new RegExp(`^${configKey}$`)

const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
const nameText =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const configKeyText = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"

/** Returns why a value is not a DNS-1123 label (names of containers, namespaces and volumes). Empty if it is one. */
export function dnsLabelProblems(value: string): readonly string[] {
  const long = value.length > 63 ? [mostBytes(63)] : []
  if (labelPattern.test(value)) return long
  if (subdomainPattern.test(value)) return [...long, 'must not contain dots']
  return [...long, withExamples(labelText, label, ['my-name', '123-abc'])]
}

/** Returns why a value is not a DNS-1123 subdomain (most object names). Empty if it is one. */
export function dnsSubdomainProblems(value: string): readonly string[] {
  const long = value.length > 253 ? [mostBytes(253)] : []
  return subdomainPattern.test(value) ? long : [...long, withExamples(subdomainText, subdomain, ['example.com'])]
}

/**
 * Returns why a value is not a qualified name (label keys, annotation keys, finalizers, `prefix/name`). Empty if it is
 * one.
 */
export function qualifiedNameProblems(value: string): readonly string[] {
  const parts = value.split('/')
  const [first = '', second] = parts
  if (parts.length > 2) {
    return [
      `a valid label key ${withExamples(keyText, keyPart, ['MyName', 'my.name', '123-abc'])} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const problems: string[] = []
  if (second !== undefined) {
    if (first === '') problems.push('prefix part must be non-empty')
    else problems.push(...dnsSubdomainProblems(first).map((problem) => `prefix part ${problem}`))
  }
  const name = second ?? first
  if (name === '') problems.push('name part must be non-empty')
  else if (name.length > 63) problems.push(`name part ${mostBytes(63)}`)
  if (!keyPattern.test(name)) {
    problems.push(`name part ${withExamples(keyText, keyPart, ['MyName', 'my.name', '123-abc'])}`)
  }
  return problems
}

export function labelValueProblems(value: string): readonly string[] {
  const long = value.length > 63 ? [mostBytes(63)] : []
  return valuePattern.test(value)
    ? long
    : [...long, withExamples(valueText, `(${keyPart})?`, ['MyValue', 'my_value', '12345'])]
}

/** Returns why a value is not a valid key of a Secret or ConfigMap. Such keys become file names. */
export function configKeyProblems(value: string): readonly string[] {
  const problems = value.length > 253 ? ['must be no more than 253 characters'] : []
  if (!configKeyPattern.test(value))
    problems.push(withExamples(configKeyText, configKey, ['key.name', 'KEY_NAME', 'key-name']))
  if (value === '.') problems.push("must not be '.'")
  if (value === '..') problems.push("must not be '..'")
  else if (value.startsWith('..')) problems.push("must not start with '..'")
  return problems
}

/** Returns why a value is not a DNS-1035 label (names of kinds and versions). Empty if it is one. */
export function dnsNameProblems(value: string): readonly string[] {
  const long = value.length > 63 ? ['must be no more than 63 characters'] : []
  return namePattern.test(value) ? long : [...long, withExamples(nameText, dnsName, ['my-name', 'abc-123'])]
}

/** Returns why a value is not a valid environment variable name: printable ASCII without an equals sign. */
export function envNameProblems(value: string): readonly string[] {
  if (/^[ -<>-~]*$/.test(value)) return []
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

/** Returns why a value is not a valid port name (RFC 6335). */
export function portNameProblems(value: string): readonly string[] {
  const problems = value.length > 15 ? ['must be no more than 15 characters'] : []
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)')
  if (value.includes('--')) problems.push('must not contain consecutive hyphens')
  if (/^-|-$/.test(value)) problems.push('must not begin or end with a hyphen')
  return problems
}

/** Returns the message with its examples and its pattern, in Kubernetes' format. */
function withExamples(text: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}'`).join(',  or ')
  return `${text} (e.g. ${shown}, regex used for validation is '${pattern}')`
}

function mostBytes(most: number): string {
  return `must be no more than ${most} bytes`
}
