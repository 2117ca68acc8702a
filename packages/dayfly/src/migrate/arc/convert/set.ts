// Converts one release of ARC to the document of a RunnerSet.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { createLedger, type Line } from '../ledger.ts'
import type { Release } from '../release.ts'
import { convertAccount } from './account.ts'
import type { Context, WantedSecret } from './context.ts'
import { withoutCredentials } from './credentials.ts'
import type { DefaultPod } from './default-pod.ts'
import { convertOwnMetadata } from './metadata.ts'
import { nameOf, namespaceOf } from './names.ts'
import { convertPod } from './pod.ts'
import { convertScale } from './scale.ts'

export type RunnerSetDocument = {
  readonly apiVersion: string
  readonly kind: 'RunnerSet'
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string }
  readonly spec: JsonObject
}

export type ConvertedSet = {
  readonly document: RunnerSetDocument
  readonly lines: readonly Line[]
  readonly secrets: readonly WantedSecret[]
}

/** @param defaults what Dayfly's pod is without a template */
export function convertSet(release: Release, defaults: DefaultPod): ConvertedSet {
  const { made } = release
  const { values, found } = withoutCredentials(release.values)
  const ledger = createLedger(values)
  for (const path of found) ledger.note('decide', path, inValue)
  const { name, labels } = nameOf(release, ledger)
  const namespace = namespaceOf(release, ledger)
  const secrets = new Map<string, WantedSecret>()
  const want = (secret: WantedSecret) => secrets.set(secret.name, together(secrets.get(secret.name), secret))
  const isOld = release.form === 'RunnerDeployment' || release.form === 'RunnerSet'
  const context: Context = { name, namespace, values, ledger, made, isOld, defaults, want }
  const github = convertAccount(context, [...labels, ...(release.labels ?? [])])
  const scale = convertScale(context)
  const { docker, jobPods, template } = convertPod(context)
  const document = {
    apiVersion: runnerSetApiVersion,
    kind: 'RunnerSet',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...convertOwnMetadata(context) },
    spec: {
      github,
      scale,
      ...(docker === 'none' ? {} : { docker }),
      ...jobPods,
      ...(Object.keys(template).length > 0 ? { template: withoutNulls(template) } : {}),
    },
  } as const
  return { document, lines: [...release.notes, ...ledger.lines()], secrets: [...secrets.values()] }
}

/** Kubernetes reads a member that is null as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]))
}

const inValue = 'It holds a credential, which is CHANGE-ME in the output. Let the container take it from a Secret.'

function together(one: WantedSecret | undefined, other: WantedSecret): WantedSecret {
  if (!one || !('options' in one.from) || !('options' in other.from)) return other
  const options = [...new Set([...one.from.options, ...other.from.options])]
  return { name: one.name, why: one.why === other.why ? one.why : `${one.why} ${other.why}`, from: { options } }
}
