// Applies a runner set with a volumeMount without a volume, and waits until its status, an Event and the log show the reason.
import { events, runnerSets } from '@dayfly/controller/resources'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { expect } from 'vitest'
import { type Cli, until } from '../cli.ts'

const name = 'bad-set'
const withinMs = 2_000

export async function refuseBadSet(kubeconfig: string, cli: Cli): Promise<void> {
  const clock = systemClock()
  const connection = connect(await loadKubeconfig(kubeconfig), clock)
  try {
    const kubernetes = createKubernetes({ transport: connection.transport, clock, random: systemRandom() })
    const at = { namespace: 'default', name }
    const good = await kubernetes.get(runnerSets, { ...at, name: 'demo' })
    const { github } = good['spec'] as { readonly github: { readonly url: string } }
    const template = {
      spec: { containers: [{ name: 'runner', volumeMounts: [{ name: 'gone', mountPath: '/gone' }] }] },
    }
    const spec = { github, scale: { min: 1, max: 3 }, template }
    await kubernetes.create(runnerSets, { apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata: at, spec })
    const [status] = await Promise.all([
      until('the status of the set has a reason', withinMs, async () => {
        const { status } = await kubernetes.get(runnerSets, at)
        return (status as { readonly lastReason?: string | null } | undefined)?.lastReason ? status : undefined
      }),
      until('there is an Event for the set', withinMs, async () => {
        const { items } = await kubernetes.list(events, { namespace: 'default' })
        return items.find((event) => (event['involvedObject'] as { name?: string }).name === name)
      }),
      until('the log has a warning', withinMs, () =>
        /warning default\/bad-set: template-invalid: .*gone/.test(cli.stderr()),
      ),
    ])
    expect(status).toMatchObject({ lastReason: 'template-invalid', idle: 0, busy: 0, pending: 0 })
    expect(JSON.stringify(status)).toMatch(/volumeMounts.*gone|Not found/)
    const state = await fetch(`${new URL(github.url).origin}/_emulator/state`)
    expect(await state.text()).not.toMatch(/"bad-set-/)
  } finally {
    await connection.close()
  }
}
