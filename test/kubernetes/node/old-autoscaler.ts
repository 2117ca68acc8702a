// An installation of Atlassian's autoscaler on the real node. Its two programs do nothing, so that a test knows all of its runners.
import { object } from '../client-place.ts'
import { runnerImage } from './images.ts'
import { officialTemplate, rendered } from './official-template.ts'
import { type Node, settle } from './open-node.ts'
import type { Operator } from './operator.ts'
import type { OutsideBitbucket } from './outside-bitbucket.ts'

export const oldNamespace = 'bitbucket-runner-control-plane'

/** @param namespace of its runners */
export function oldAutoscaler(node: Node, forge: OutsideBitbucket, operator: Operator, namespace: string) {
  // A stand-in takes the place of the Docker Engine: it runs until it gets a signal.
  const template = officialTemplate({ origin: forge.origin, runner: runnerImage, docker: 'docker:27-dind' })
  return {
    template,
    /** Creates the Deployments. */
    deploy: async (): Promise<void> => {
      for (const name of ['runner-controller', 'runner-controller-cleaner']) {
        const containers = [{ name: 'main', image: 'localhost/pause:1' }]
        const pod = { metadata: { labels: { app: name } }, spec: { containers } }
        const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template: pod }
        await node.apply(oldNamespace, object('apps/v1', 'Deployment', { name }, { spec }))
      }
    },
    /** Makes a runner as the autoscaler does, and waits until it is online. Resolves with its UUID without braces. */
    start: async (name: string, ...labels: readonly string[]): Promise<string> => {
      const { uuid, env } = await forge.register(name, ['linux', ...labels])
      await operator.kubectl('apply', '-n', namespace, '-f', operator.file(rendered(template, namespace, env)))
      await settle(
        async () => forge.control.runners().find((runner) => runner.name === name)?.status,
        (status) => status === 'ONLINE',
      )
      return uuid.replace(/[{}]/g, '')
    },
  }
}
