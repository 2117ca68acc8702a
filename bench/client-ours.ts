// Measures Dayfly's reflector for the client benchmark, with the projection that the controller uses.
import { observePod } from '@dayfly/controller/observe/pod-facts'
import { type PodObject, unreadOfPods } from '@dayfly/controller/observe/pod-object'
import { httpClient } from '@dayfly/kit/http-client'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { runReflector } from '@dayfly/kubernetes/reflector'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import { podName } from './client-pods.ts'
import { report } from './client-report.ts'

const origin = process.argv[2]
const client = httpClient({ origin })
const mirror = new Map<string, PodFacts>()
const until = new AbortController()
await runReflector(
  {
    transport: client.transport,
    resource: { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true },
    namespace: 'ci',
    project: (object) => observePod(object as unknown as PodObject),
    unread: unreadOfPods,
    clock: systemClock(),
    random: systemRandom(),
    sink: {
      replaced: (pods) => {
        mirror.clear()
        for (const pod of pods) if (pod) mirror.set(pod.name, pod.facts)
      },
      changed: (pod) => {
        if (pod) mirror.set(pod.name, pod.facts)
      },
      removed: (pod) => {
        if (!pod) return
        mirror.delete(pod.name)
        if (pod.name === podName(0)) until.abort(new Error('the last event has arrived'))
      },
      progressed: () => {},
      stale: (_, why) => process.stderr.write(`ours: ${why}\n`),
    },
  },
  until.signal,
)
await client.close()
report([...mirror.keys()])
