// Compares the rights that the chart granted to a controller with the calls that the API server's audit log shows.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { Resource } from '@dayfly/kubernetes/types'
import { auditLog } from '../../../scripts/node/audit.ts'
import type { Installation } from './installation.ts'

/** Rights as `verb resource.group/subresource`. */
export type RightsInUse = {
  /** Calls that the API server refused for lack of a right. */
  readonly denied: readonly string[]
  readonly unused: readonly string[]
}

const rbac = (plural: string, kind: string, namespaced: boolean): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const roles = [rbac('roles', 'Role', true), rbac('clusterroles', 'ClusterRole', false)]

/** Deletes the Lease, which the chart creates, so that the controller must create it again. */
export async function loseLease({ operator, system }: Installation): Promise<void> {
  await operator.kubectl('delete', 'leases', '--all', '-n', system)
}

export async function rightsInUse({ node, system, installedAt }: Installation): Promise<RightsInUse> {
  const granted = new Set<string>()
  for (const resource of roles) {
    const labelSelector = 'app.kubernetes.io/instance=dayfly'
    for (const role of (await node.kubernetes.list(resource, { labelSelector })).items) {
      for (const right of listAt(role, 'rules').flatMap(rightsOf)) granted.add(right)
    }
  }
  const entries = readFileSync(path.join(process.env['DAYFLY_NODE'] ?? '', auditLog), 'utf8').split('\n')
  const own = `"username":"system:serviceaccount:${system}:`
  const denied = new Set<string>()
  const unused = new Set(granted)
  for (const line of entries) {
    if (!line.includes(own)) continue
    const entry: unknown = JSON.parse(line)
    // An uninstall removes the roles before the pods have ended, so an earlier installation was refused calls.
    if (Date.parse(textAt(entry, 'requestReceivedTimestamp') ?? '') < installedAt) continue
    const right = rightOf(entry)
    if (valueAt(entry, 'responseStatus', 'code') === 403 && isForbidden(entry)) denied.add(right)
    else unused.delete(right)
  }
  return { denied: [...denied], unused: [...unused] }
}

/** Quotas and admission also answer 403, to calls that the role allows. */
function isForbidden(entry: unknown): boolean {
  return textAt(entry, 'annotations', 'authorization.k8s.io/decision') === 'forbid'
}

function rightsOf(rule: unknown): readonly string[] {
  const texts = (field: string) => listAt(rule, field).map(String)
  return texts('apiGroups').flatMap((group) =>
    texts('resources').flatMap((resource) => {
      const [plural = '', subresource] = resource.split('/')
      return texts('verbs').map((verb) => name(verb, plural, group, subresource))
    }),
  )
}

function rightOf(entry: unknown): string {
  const verb = textAt(entry, 'verb') ?? ''
  const plural = textAt(entry, 'objectRef', 'resource')
  if (plural === undefined) return `${verb} ${textAt(entry, 'requestURI')}`
  return name(verb, plural, textAt(entry, 'objectRef', 'apiGroup') ?? '', textAt(entry, 'objectRef', 'subresource'))
}

function name(verb: string, plural: string, group: string, subresource: string | undefined): string {
  return `${verb} ${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`
}
