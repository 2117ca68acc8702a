// Converts the certificates of GitHub's server: the field of the RunnerSet, and the parts that ARC's chart adds to the runner.
import { fieldsAt, type JsonObject, type Path, textAt } from '@dayfly/kit/read-json'
import { acceptedText } from './accepted.ts'
import type { Context } from './context.ts'

type Parts = {
  readonly variables: readonly JsonObject[]
  readonly mounts: readonly JsonObject[]
  readonly volumes: readonly JsonObject[]
}

const volume = 'github-server-tls-cert'
const base: Path = ['githubServerTLS']
const from: Path = [...base, 'certificateFrom', 'configMapKeyRef']

/** Returns `spec.github.ca`. */
export function convertAuthority(context: Context): JsonObject | undefined {
  const { values, ledger } = context
  const given = fieldsAt(values.root, ...base) ?? {}
  if (Object.keys(given).length === 0) return undefined
  const { configMap, key } = sourceOf(context)
  if (configMap === undefined) {
    ledger.note('decide', base, 'The RunnerSet does not trust the certificates. Write spec.github.ca yourself.')
    return undefined
  }
  ledger.note('kept', from, 'spec.github.ca')
  if (key === undefined && given['runnerMountPath']) {
    const sentence = 'The runner has no such mount, because no key is known. It trusts spec.github.ca without it.'
    ledger.note('decide', [...base, 'runnerMountPath'], sentence)
  }
  return { configMap, ...(key === undefined || key === 'ca.crt' ? {} : { key }) }
}

export function authorityParts(context: Context): Parts {
  const folder = textAt(context.values.root, ...base, 'runnerMountPath')
  const { configMap: name, key } = sourceOf(context)
  if (!folder || !name || !key) return { variables: [], mounts: [], volumes: [] }
  const file = `${folder.replace(/\/+$/, '')}/${key}`
  return {
    variables: [
      { name: 'NODE_EXTRA_CA_CERTS', value: file },
      { name: 'RUNNER_UPDATE_CA_CERTS', value: '1' },
    ],
    mounts: [{ name: volume, mountPath: file, subPath: key }],
    volumes: [{ name: volume, configMap: { name, items: [{ key, path: key }] } }],
  }
}

function sourceOf(context: Context) {
  return {
    configMap: acceptedText(context, [...from, 'name'], {
      place: 'spec.github.ca.configMap',
      what: 'name of a ConfigMap',
    }),
    key: acceptedText(context, [...from, 'key'], { place: 'spec.github.ca.key', what: 'key of a ConfigMap' }),
  }
}
