// Whether a template can work, before any runner is registered: our own rules, a dry run on the API server, and what came back of it.
import { firstDifference } from '../../core/difference.ts'
import { buildPod, runnerPrefix } from '../../core/pod.ts'
import { hazardOf } from '../../core/template-rules.ts'
import type { KubeObject } from '../../kubernetes/types.ts'
import { randomName } from '../../lib/ids.ts'
import type { Failure } from '../../model/failure.ts'
import { pods } from '../resources.ts'
import type { ActContext } from './context.ts'
import { messageOf, refusalOf } from './failures.ts'

export async function checkTemplate(context: ActContext, hash: string): Promise<void> {
  const { cache, clock, journal, random, signal } = context
  const { set } = cache
  const name = `${runnerPrefix(set)}check-${randomName(random, 5)}`
  const subject = { namespace: set.namespace, set: set.name, hash }
  try {
    const failure = await refusal(context, buildPod(set, name, '0'))
    const at = clock.now()
    cache.templateChecked(failure ? { is: 'refused', hash, failure, at } : { is: 'accepted', hash, at })
    if (failure) journal({ kind: 'template-refused', ...subject, failure })
    else journal({ kind: 'template-accepted', ...subject })
  } catch (error) {
    if (signal.aborted) return
    journal({
      kind: 'write-failed',
      namespace: set.namespace,
      set: set.name,
      action: 'check-template',
      message: messageOf(error),
    })
    await clock.sleep(2_000, signal).catch(() => {})
  }
}

async function refusal(context: ActContext, pod: ReturnType<typeof buildPod>): Promise<Failure | undefined> {
  const hazard = hazardOf(pod.spec)
  if (hazard) return hazard
  try {
    const options = { dryRun: true, fieldValidation: 'Strict', fieldManager: 'dayfly', signal: context.signal } as const
    const { object } = await context.kubernetes.create(pods, pod as unknown as KubeObject, options)
    const lost = firstDifference(pod.spec, object['spec'], 'spec')
    return lost === undefined
      ? undefined
      : { reason: 'template-changed', message: `${lost} did not come back as it was sent` }
  } catch (error) {
    const refused = refusalOf(error)
    if (!refused) throw error
    return refused
  }
}
