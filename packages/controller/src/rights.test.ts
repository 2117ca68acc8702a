import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { podMetrics } from '@dayfly/kubernetes/pod-metrics'
import type { Resource } from '@dayfly/kubernetes/types'
import { expect, it } from 'vitest'
import { costLabelRights, jobLogRights, jobPodRights, leaseRights, runnerRights, usageRights } from './rights.ts'

const packages = path.resolve(import.meta.dirname, '../..')

/** Returns the code of the controller, of its process and of its election. */
function texts(): readonly string[] {
  const source = path.join(packages, 'controller/src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !/^(?:operate|command\/(?!process\/|controller\.ts))/.test(file),
  )
  const production = files.filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file))
  const own = production.map((file) => path.join(source, file))
  return [...own, path.join(packages, 'kubernetes/src/lease.ts')].map((file) => readFileSync(file, 'utf8'))
}

/** The name of each resource in the code. */
const plurals: Readonly<Record<string, readonly string[]>> = {
  runnerSets: ['runnersets'],
  pods: ['pods'],
  secrets: ['secrets'],
  events: ['events'],
  resourceQuotas: ['resourcequotas'],
  leases: ['leases'],
  // The one function that reads a credential or a certificate authority, and the one that asks for the right to list.
  'get resource': ['secrets', 'configmaps'],
  'list resource': ['runnersets', 'pods'],
  // The code that counts requests passes each call on.
  ...Object.fromEntries(['create', 'replace', 'patch', 'delete'].map((method) => [`${method} resource`, []])),
}

function called(): readonly string[] {
  const pairs = texts().flatMap((text) => [
    ...[...text.matchAll(/kubernetes\.(get|list|create|replace|patch|delete)\(\s*(\w+),/g)].flatMap(
      ([, method = '', name = '']) => {
        const known = plurals[`${method} ${name}`] ?? plurals[name] ?? [`unknown ${name}`]
        const verb = method === 'replace' ? 'update' : method
        // The controller writes the status of a set. The one patch of a whole set is that of a size.
        const isStatus = verb === 'patch' && name === 'runnerSets' && text.includes("subresource: 'status'")
        return known.map((plural) => `${verb} ${plural}${isStatus ? '/status' : ''}`)
      },
    ),
    ...[...text.matchAll(/(?:run|create)Reflector\(\s*\{[^}]*?resource: (\w+)/g)].flatMap(([, name = '']) =>
      (plurals[name] ?? [`unknown ${name}`]).flatMap((plural) => [`list ${plural}`, `watch ${plural}`]),
    ),
  ])
  if (texts().some((text) => text.includes('logs.follow('))) pairs.push('get pods/log')
  if (texts().some((text) => text.includes('metrics.list('))) pairs.push('list pods.metrics.k8s.io')
  return [...new Set(pairs)].sort()
}

/** Metrics have the same plural as pods. */
function nameOf({ group, plural }: Resource): string {
  return group === podMetrics.group ? `${plural}.${group}` : plural
}

it('lists each verb that the controller calls, and no other', () => {
  const listed = [
    ...runnerRights,
    ...usageRights,
    ...jobLogRights,
    ...jobPodRights,
    ...costLabelRights,
    ...leaseRights,
  ].flatMap(({ resource, subresource, verbs }) =>
    verbs.map((verb) => `${verb} ${nameOf(resource)}${subresource ? `/${subresource}` : ''}`),
  )
  expect([...new Set(listed)].sort()).toEqual(called())
})
