// The parts that ARC's chart adds to the runner so that it trusts the certificates of GitHub's server.
import { type JsonObject, textAt } from '@dayfly/kit/read-json'
import type { Context } from './context.ts'

type Parts = {
  readonly variables: readonly JsonObject[]
  readonly mounts: readonly JsonObject[]
  readonly volumes: readonly JsonObject[]
}

const volume = 'github-server-tls-cert'

export function authorityParts({ values }: Pick<Context, 'values'>): Parts {
  const folder = textAt(values.root, 'githubServerTLS', 'runnerMountPath')
  const from = ['githubServerTLS', 'certificateFrom', 'configMapKeyRef']
  const name = textAt(values.root, ...from, 'name')
  const key = textAt(values.root, ...from, 'key')
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
