// Chooses the name and the namespace of a RunnerSet. Jobs choose a set by its name.
import { textAt } from '@dayfly/kit/read-json'
import type { Ledger } from '../ledger.ts'
import type { Release } from '../release.ts'

const lengthMax = 63

export type ChosenName = {
  readonly name: string
  /** The name of the scale set at GitHub, if the RunnerSet cannot have it. */
  readonly labels: readonly string[]
}

export function nameOf({ name: given, values, file, form }: Release, ledger: Ledger): ChosenName {
  const own = textAt(values.root, 'runnerScaleSetName')
  const isComputed = values.isComputed(['runnerScaleSetName'])
  const known = given === undefined || isTemplate(given) ? undefined : given
  const wanted = own !== undefined && own !== '' && !isComputed && !isTemplate(own) ? own : known
  if (wanted === undefined) {
    const name = plainName(withoutMarkers(own ?? '') || withoutMarkers(given ?? '') || folderName(file))
    const next = `Jobs choose the set by its name, so write what runs-on says. It is ${name} now.`
    if (own !== undefined && own !== '')
      ledger.note('decide', ['runnerScaleSetName'], `A template computes it. ${next}`)
    else ledger.say('decide', ['runnerScaleSetName'], `The name of the release is not here. ${next}`)
    return { name, labels: [] }
  }
  const name = plainName(wanted)
  // GitHub compares labels without upper and lower case.
  const isSame = name === wanted.toLowerCase()
  const why = `metadata.name: ${name}. Kubernetes allows lower-case letters, digits and dashes.`
  const sentence = isSame ? 'metadata.name' : `${why} ${wanted} is a label, so jobs need no change.`
  if (isComputed) ledger.note('decide', ['runnerScaleSetName'], `A template computes it. metadata.name: ${name}.`)
  else ledger.note(isSame ? 'kept' : 'changed', ['runnerScaleSetName'], sentence)
  if (own === undefined && !isSame && form !== 'RunnerDeployment')
    ledger.say('changed', ['runnerScaleSetName'], sentence)
  return { name, labels: isSame || form === 'RunnerDeployment' || form === 'RunnerSet' ? [] : [wanted.slice(0, 128)] }
}

/** Returns the part of a name that a template does not compute. */
function withoutMarkers(text: string): string {
  return text.replace(/\$\{[^}]*\}|\{\{[^}]*\}\}|\uE000/g, '').replace(/^[^a-z0-9]+/i, '')
}

/** Returns whether a template language computes a part of the text. */
export function isTemplate(text: string): boolean {
  return /\$\{|\{\{|\uE000/.test(text)
}

function plainName(text: string): string {
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/\.+(?=[-.]|$)|(?<=^|-)\.+/g, '')
    .replace(/^[-.]+/, '')
  return letters.slice(0, lengthMax).replace(/[-.]+$/, '') || 'runners'
}

/** The file's own name, or that of its folder if many files are called so. */
function folderName(file: string): string {
  const [folder = '', name = ''] = file.split('/').slice(-2)
  const [own = ''] = (name || folder).split('.')
  return name !== '' && /^(values|helm-?release|release|main|app|application)$/i.test(own) ? folder : own
}

/** Undefined: kubectl decides. */
export function namespaceOf({ namespace, values }: Release, ledger: Ledger): string | undefined {
  const override = textAt(values.root, 'namespaceOverride')
  const chosen = override !== undefined && override !== '' ? override : namespace
  if (chosen !== undefined && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(chosen)) return chosen
  ledger.say('decide', ['namespaceOverride'], 'The namespace is not here. Name it with kubectl apply -n.')
  return undefined
}
