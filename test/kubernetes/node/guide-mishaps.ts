// Makes what goes wrong in a reader's cluster, and finds what an uninstallation leaves.
import { runnerSets } from '@dayfly/controller/resources'
import { labels } from '@dayfly/runner-set/core/pod'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { crds, namespaces, object, secrets } from '../client-place.ts'
import type { GuideStage } from './guide-stage.ts'
import { conditionOf } from './installation.ts'
import { settle } from './open-node.ts'

const lost = 'linux-00000-bcdfghjklm'

/** Leaves the Secret of a runner whose pod is gone, as an installation that lost its API server in between. */
export async function leaveSecret({ node }: Pick<GuideStage, 'node'>, namespace: string): Promise<void> {
  const metadata = { name: lost, namespace, labels: { [labels.set]: 'linux', [labels.runner]: lost } }
  await node.kubernetes.create(secrets, object('v1', 'Secret', metadata, {}))
}

/** Returns what `leaveSecret` left, if it is still there. */
export function lostSecret({ node }: Pick<GuideStage, 'node'>, namespace: string) {
  return node.get(secrets, namespace, lost)
}

/** Creates the set `broken`, whose runners need a ConfigMap that does not exist, and waits until it says so. */
export async function breakSet({ node, forge }: GuideStage, namespace: string): Promise<void> {
  const name = 'broken'
  const env = [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'absent', key: 'x' } } }]
  const template = { spec: { containers: [{ name: 'runner', env }] } }
  const github = { url: forge.url, plainHttp: true, credentials: { secret: 'github' } }
  const spec = { github, scale: { min: 1, max: 1 }, template }
  await node.kubernetes.create(runnerSets, object(runnerSetApiVersion, 'RunnerSet', { name, namespace }, { spec }))
  await settle(
    () => node.get(runnerSets, namespace, name),
    (set) => conditionOf(set, 'Degraded')?.startsWith('True') === true,
  )
}

/** Names what an uninstallation must not leave: definitions, Secrets of runners, namespaces, records and registrations at the forge. */
export async function leftAt({ node, forge }: GuideStage): Promise<readonly string[]> {
  const { kubernetes } = node
  const definitions = (await kubernetes.list(crds)).items.map(({ metadata }) => metadata.name)
  const places = (await kubernetes.list(namespaces)).items.map(({ metadata }) => metadata.name)
  const state = (await (await fetch(new URL('/_emulator/state', forge.url))).json()) as {
    readonly scaleSets: readonly { readonly name: string }[]
    readonly runners: readonly { readonly name: string }[]
  }
  return [
    ...definitions.filter((name) => name.endsWith('dayfly.dev')),
    ...places.filter((name) => name === 'ci' || name === 'dayfly'),
    ...state.scaleSets.map(({ name }) => `scale set ${name}`),
    ...state.runners.map(({ name }) => `registration ${name}`),
  ]
}
