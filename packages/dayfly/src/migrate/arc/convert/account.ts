// Converts the account at GitHub and the way to it: URL, credential, runner group, labels, proxy and certificates.
import { asJsonObject, isJsonObject, type JsonObject, listAt } from '@dayfly/kit/read-json'
import { isClearText } from '@dayfly/runner-set/config/relations'
import { acceptedText, isAccepted } from './accepted.ts'
import { convertAuthority } from './authority.ts'
import { type Context, inNamespace } from './context.ts'
import { isTemplate } from './names.ts'
import { convertProxy } from './proxy.ts'

/** Returns `spec.github`. */
export function convertAccount(context: Context, ownLabels: readonly string[]): JsonObject {
  const url = convertUrl(context)
  const group = acceptedText(context, ['runnerGroup'], {
    place: 'spec.github.runnerGroup',
    what: 'name of 1 to 128 characters',
  })
  if (group !== undefined) context.ledger.note(...verdict(context, 'runnerGroup', 'spec.github.runnerGroup'))
  const labels = convertLabels(context, ownLabels)
  const proxy = convertProxy(context)
  const ca = convertAuthority(context)
  return {
    url,
    ...(isClearText(url) ? { plainHttp: true } : {}),
    credentials: { secret: convertCredential(context) },
    ...(group === undefined ? {} : { runnerGroup: group }),
    ...(labels.length > 0 ? { labels } : {}),
    ...(proxy === undefined ? {} : { proxy }),
    ...(ca === undefined ? {} : { ca }),
  }
}

/** A value that a template computes is kept as written, if the schema accepts it. */
function verdict({ values }: Context, key: string, place: string): ['kept' | 'decide', [string], string] {
  if (!values.isComputed([key])) return ['kept', [key], place]
  return ['decide', [key], `A template computes the value. Write its result to ${place}.`]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Stands for a value that only the operator knows. */
const unknownUrl = 'https://github.com/CHANGE-ME'

function convertUrl(context: Context): string {
  const { values, ledger } = context
  const written = textOf(values.root['githubConfigUrl'])?.trim()
  if (written === undefined) {
    const sentence = `The URL is not here. Write it to spec.github.url, which is ${unknownUrl}.`
    ledger.say('decide', ['githubConfigUrl'], sentence)
    return unknownUrl
  }
  const url = written.replace(/\/+$/, '')
  const isComputed = values.isComputed(['githubConfigUrl'])
  if (isComputed || !isAccepted('spec.github.url', url)) {
    const why = isComputed || isTemplate(written) ? 'A template computes the URL.' : 'It is no URL.'
    ledger.note('decide', ['githubConfigUrl'], `${why} Write the right one to spec.github.url, which is ${unknownUrl}.`)
    return unknownUrl
  }
  const plain = 'spec.github.url. The credential goes in clear text: plainHttp allows that. Use https:// if you can.'
  if (isClearText(url)) ledger.note('decide', ['githubConfigUrl'], plain)
  else ledger.note('kept', ['githubConfigUrl'], 'spec.github.url')
  return url
}

/** Returns the name of the Secret. A value of the credential itself never leaves this function. */
function convertCredential(context: Context): string {
  const { values, ledger, name, made } = context
  const given = values.root['githubConfigSecret']
  const own = `${name.slice(0, 56)}-github`
  if (isJsonObject(given) && keysOf(given).length > 0) {
    if (made.inlineSecret === undefined) wantCredential(context, own, keysOf(given))
    else wantCopy(context, made.inlineSecret, own)
    return own
  }
  if (typeof given === 'string' && given === made.secret) {
    ledger.note(
      'changed',
      ['githubConfigSecret'],
      `spec.github.credentials.secret: ${own}. ARC's release takes its Secret ${given} with it.`,
    )
    wantCopy(context, given, own)
    return own
  }
  if (isAccepted('spec.github.credentials.secret', given) && !values.isComputed(['githubConfigSecret'])) {
    if (asJsonObject(values.root['keyVault']) === undefined)
      ledger.note('kept', ['githubConfigSecret'], 'spec.github.credentials.secret')
    else
      ledger.note(
        'decide',
        ['githubConfigSecret'],
        `spec.github.credentials.secret: ${given}. ARC reads it from the vault, and Dayfly needs a Secret of that name.`,
      )
    return given
  }
  const next = `spec.github.credentials.secret is ${own}: create that Secret, or name yours.`
  if (given === undefined) ledger.say('decide', ['githubConfigSecret'], `It is not here. ${next}`)
  else
    ledger.note(
      'decide',
      ['githubConfigSecret'],
      `${whyNoName(given, values.isComputed(['githubConfigSecret']))} ${next}`,
    )
  wantCredential(context, own, [])
  return own
}

function whyNoName(given: unknown, isComputed: boolean): string {
  if (typeof given !== 'string' || given === '') return 'It is empty.'
  return isComputed ? 'A template computes it.' : 'It is no name of a Secret.'
}

const appKeys = ['github_app_id', 'github_app_installation_id', 'github_app_private_key']

/** Returns the keys that have a value. */
function keysOf(given: JsonObject): readonly string[] {
  const keys = ['github_token', ...appKeys].filter((key) => !['', null, undefined].includes(given[key] as string))
  return keys.includes('github_app_id') ? keys.filter((key) => key !== 'github_token') : keys
}

function wantCredential(context: Context, secret: string, keys: readonly string[]): void {
  const isApp = keys.some((key) => appKeys.includes(key))
  const ids = ['--from-literal=github_app_id=ID', '--from-literal=github_app_installation_id=ID']
  const options = isApp ? [...ids, '--from-file=github_app_private_key=FILE'] : ['--from-file=github_token=FILE']
  context.want({
    name: secret,
    why: isApp ? 'The credential of the GitHub App.' : 'The token for GitHub, or the keys of a GitHub App.',
    from: { options },
  })
}

/** Prints the Secret as a manifest of another name. Its values go through the pipe alone. */
const manifest = (name: string) =>
  `apiVersion: v1{{"\\n"}}kind: Secret{{"\\n"}}metadata: {name: ${name}}{{"\\n"}}data:{{range $key, $value := .data}}{{"\\n"}}  {{$key}}: {{$value}}{{end}}{{"\\n"}}`

function wantCopy(context: Context, from: string, to: string): void {
  const namespace = inNamespace(context)
  context.want({
    name: to,
    why: `A copy of ${from}, which ARC's chart made and removes.`,
    from: {
      command: `kubectl get secret ${from}${namespace} -o go-template='${manifest(to)}' | kubectl apply${namespace} -f -`,
    },
  })
}

const labelsMax = 20

/** The name of the set is a label already. */
function convertLabels(context: Context, own: readonly string[]): readonly string[] {
  const { values, ledger, name } = context
  const labels = [...own]
  for (const index of listAt(values.root, 'scaleSetLabels').keys()) {
    const path = ['scaleSetLabels', index]
    const what = 'label of 1 to 128 characters'
    const label = acceptedText(context, path, { place: 'spec.github.labels', what })
    if (label === undefined) continue
    const isTaken = [name, ...labels].some((other) => other.toLowerCase() === label.toLowerCase())
    if (labels.length >= labelsMax) ledger.note('dropped', path, `A set has at most ${labelsMax} labels.`)
    else if (values.isComputed(path)) {
      ledger.note('decide', path, 'A template computes the label. Add its result to spec.github.labels.')
    } else if (isTaken) ledger.note('kept', path, 'The set has this label already.')
    else {
      labels.push(label)
      ledger.note('kept', path, 'spec.github.labels')
    }
  }
  return labels
}
