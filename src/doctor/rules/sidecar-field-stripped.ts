// A template says restartPolicy Always, and the pod that came of it does not: something took the field away.

import { listAt, textAt, textsAt } from '../../lib/read-json.ts'
import type { Facts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../objects/by-kind.ts'
import { ownerOf, uidOf } from '../objects/metadata.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'sidecar-field-stripped',
  code: 'POD106',
  title: 'The template has a native sidecar, the pod has not',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: (facts) =>
    withLive(facts, ['Pod'], () => {
      const templates = templatesOf(facts)
      return facts.pods.filter(({ object }) => object.kind === 'Pod').flatMap((pod) => check(pod, templates, facts))
    }),
}

function check(pod: PodView, templates: ReadonlyMap<string, PodView>, facts: Facts): readonly Hit[] {
  const owner = ownerOf(pod.raw, 'Job') ?? ownerOf(pod.raw, 'EphemeralRunner')
  const template = owner && templates.get(owner.uid)
  if (!template) return []
  return template.containers
    .filter(({ role }) => role === 'sidecar')
    .flatMap(({ name }) => {
      const found = pod.containers.find((each) => each.name === name && each.role === 'init')
      if (!found || found.restartPolicy !== undefined) return []
      return [
        hitIn(pod, {
          path: found.path,
          container: name,
          message: `${template.object.kind} ${template.object.name} says restartPolicy Always for ${name}, the pod does not: it is a plain init container and blocks the pod. ${suspects(facts)}`,
        }),
      ]
    })
}

/** By UID: the Jobs and EphemeralRunners that have a sidecar. */
function templatesOf(facts: Facts): ReadonlyMap<string, PodView> {
  const having = facts.pods.filter(
    ({ object, containers }) => object.kind !== 'Pod' && containers.some(({ role }) => role === 'sidecar'),
  )
  return new Map(having.map((pod) => [uidOf(pod.raw) ?? '', pod]))
}

function suspects(facts: Facts): string {
  const names = objectsOf(facts, 'MutatingWebhookConfiguration').flatMap(({ object, raw }) =>
    listAt(raw, 'webhooks').some(changesPods) ? [object.name] : [],
  )
  const older = 'an API server below 1.29, or a webhook or client built on older API types'
  return names.length === 0
    ? `What takes it away: ${older}.`
    : `Webhooks that change pods, and may be built on older API types: ${names.join(', ')}.`
}

function changesPods(webhook: unknown): boolean {
  return listAt(webhook, 'rules').some((each) => {
    const resources = textsAt(each, 'resources')
    const isCore = textsAt(each, 'apiGroups').some((group) => group === '' || group === '*')
    return isCore && resources.some((name) => name === 'pods' || name === '*' || name === '*/*') && creates(each)
  })
}

function creates(rule: unknown): boolean {
  return textsAt(rule, 'operations').some((name) => name === 'CREATE' || name === '*') || !textAt(rule, 'operations', 0)
}
