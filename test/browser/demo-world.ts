// The built program's own demo, whose jobs go on only when the test says so.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runnerSets, secrets } from '@dayfly/controller/resources'
import { numberAt } from '@dayfly/kit/read-json'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { Resource } from '@dayfly/kubernetes/types'
import { createWorld, until } from '../cli.ts'

const quotas: Resource = { group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota', namespaced: true }
const namespace = 'default'
/** A change of the quota reaches the announced capacity with the next tick of the set. */
const announcedMs = 60_000

/** A job prints these lines, and then waits until the test opens its gate. It ends with the exit code. */
export type GatedJob = { readonly name: string; readonly prints?: readonly string[]; readonly code?: number }

export type DemoWorld = Awaited<ReturnType<typeof openDemo>>

export async function openDemo(jobs: readonly GatedJob[], max: number) {
  const world = createWorld()
  const own = path.join(world.directory, 'own')
  mkdirSync(own)
  const file = path.join(own, 'gate.yml')
  writeFileSync(file, workflowOf(jobs, own))
  const cli = world.start('demo', file, '--max', String(max))
  const [, origin = ''] = await cli.saw(/on the page: (http:\S+)/)
  const [, kubeconfig = ''] = await cli.saw(/--kubeconfig (\S+)/)
  const [clock, random] = [systemClock(), systemRandom()]
  const connection = connect(await loadKubeconfig(kubeconfig), clock)
  const kubernetes = createKubernetes({ transport: connection.transport, clock, random, userAgent: 'dayfly/test' })
  return {
    origin,
    /** Lets a job end. */
    openGate: (name: string) => writeFileSync(path.join(own, `open-${name}`), ''),
    /** Allows so many pods until the returned function is called. Resolves when the sets announce no more to the forge: before, it may still give them jobs. */
    async closeQuota(pods: number): Promise<() => Promise<unknown>> {
      const name = 'runners'
      const spec = { hard: { pods: String(pods) } }
      await kubernetes.create(quotas, {
        ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name, namespace } },
        spec,
      })
      await until(`the sets announce ${pods} runners`, announcedMs, async () => {
        const { items } = await kubernetes.list(runnerSets)
        return items.every((set) => numberAt(set, 'status', 'announced') === pods)
      })
      return () => kubernetes.delete(quotas, { name, namespace })
    },
    /** Returns the decoded value of each entry of each Secret. */
    async secretValues(): Promise<readonly string[]> {
      const { items } = await kubernetes.list(secrets)
      return items.flatMap((item) =>
        Object.values((item as { data?: Record<string, string> }).data ?? {}).map((value) =>
          Buffer.from(value, 'base64').toString(),
        ),
      )
    },
    async close(): Promise<void> {
      await connection.close()
      cli.child.kill('SIGINT')
      await cli.ended
      world.end()
    },
  }
}

function workflowOf(jobs: readonly GatedJob[], own: string): string {
  const texts = jobs.map(({ name, prints = [], code = 0 }) => {
    const lines = [...prints.map((line) => `echo "${line}"`), `while [ ! -e ${own}/open-${name} ]; do sleep 0.1; done`]
    const steps = [...lines, `exit ${code}`].map((line) => `          ${line}\n`).join('')
    return `  ${name}:\n    runs-on: ubuntu-latest\n    steps:\n      - name: Work\n        run: |\n${steps}`
  })
  return `name: Gate\non: push\njobs:\n${texts.join('')}`
}
