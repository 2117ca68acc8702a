// Finds pods that lost the restartPolicy Always of their template: something removed the field.
import { listAt, textAt, textsAt } from '@dayfly/kit/read-json'
import type { Facts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn } from '../pods/pod-parts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { ownerOf, uidOf } from '../read/objects/metadata.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'sidecar-field-stripped',
  code: 'POD106',
  title: "The pod lost the template's native sidecar",
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
          message: `${template.object.kind} ${template.object.name} has restartPolicy Always for ${name}, but the pod does not. There it is a plain init container and blocks the pod. ${possibleCauses(facts)}`,
        }),
      ]
    })
}

/** Returns the Jobs and EphemeralRunners with a sidecar, by UID. */
function templatesOf(facts: Facts): ReadonlyMap<string, PodView> {
  const withSidecar = facts.pods.filter(
    ({ object, containers }) => object.kind !== 'Pod' && containers.some(({ role }) => role === 'sidecar'),
  )
  return new Map(withSidecar.map((pod) => [uidOf(pod.raw) ?? '', pod]))
}

function possibleCauses(facts: Facts): string {
  const names = objectsOf(facts, 'MutatingWebhookConfiguration').flatMap(({ object, raw }) =>
    listAt(raw, 'webhooks').some(changesPods) ? [object.name] : [],
  )
  const older = 'an API server below 1.29, or a webhook or client with older API types'
  return names.length === 0
    ? `Possible causes: ${older}.`
    : `These webhooks change pods and may have older API types: ${names.join(', ')}.`
}

function changesPods(webhook: unknown): boolean {
  return listAt(webhook, 'rules').some((each) => {
    const resources = textsAt(each, 'resources')
    const isCore = textsAt(each, 'apiGroups').some((group) => group === '' || group === '*')
    return (
      isCore && resources.some((name) => name === 'pods' || name === '*' || name === '*/*') && appliesToCreate(each)
    )
  })
}

function appliesToCreate(rule: unknown): boolean {
  return textsAt(rule, 'operations').some((name) => name === 'CREATE' || name === '*') || !textAt(rule, 'operations', 0)
}
