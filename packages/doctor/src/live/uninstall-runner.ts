// Decides for one runner of a stuck uninstall: it may go, it must first lose its registration, or it stays, with the operator's next step.
import { textAt } from '@dayfly/kit/read-json'
import { isSameAccount, runnersPage } from '../arc/forge-url.ts'
import type { ObjectFact } from '../facts.ts'
import { mayBeBusy, type RunnerSigns } from './busy.ts'
import type { Cluster } from './cluster.ts'
import { registrationOf } from './remains.ts'
import { signsOfRunner } from './signs.ts'
import type { Registered } from './step.ts'

export type RunnerVerdict =
  /** `registration`: removed on the way. */
  | { readonly is: 'free'; readonly registration: Registered | undefined }
  /**
   * It runs and is idle. Its deregistration proves that, because the forge refuses to remove a busy runner.
   * Without a registration no job can come: a run that was interrupted may have removed it.
   */
  | { readonly is: 'idle'; readonly registration: Registered | undefined; readonly advice: string }
  | { readonly is: 'kept'; readonly because: string }

export function judgeRunner(cluster: Cluster, fact: ObjectFact): RunnerVerdict {
  const signs = signsOfRunner(cluster, fact)
  const verdict = mayBeBusy(signs)
  const registration = canDeregister(cluster, fact) ? registrationOf(fact) : undefined
  if (!verdict.busy) return { is: 'free', registration }
  if (registration && signs.container === 'running' && signs.arc === 'no-job') {
    if (signs.forge === 'idle') return { is: 'idle', registration, advice: idleAdvice(fact) }
    if (signs.forge === 'absent') return { is: 'idle', registration: undefined, advice: idleAdvice(fact) }
  }
  return { is: 'kept', because: `it may be busy: ${verdict.because}${nextStep(signs, fact)}` }
}

/** Only for the runner's own account: ids are numbers, and another account may use the same ones. */
function canDeregister({ live: { forge } }: Cluster, { raw }: ObjectFact): boolean {
  const url = textAt(raw, 'spec', 'githubConfigUrl')
  return forge?.removal === 'refuses-busy' && url !== undefined && isSameAccount(url, forge.url)
}

function idleAdvice({ object: { namespace, name } }: ObjectFact): string {
  return `its pod runs and is idle: add --end-idle-runners, which deregisters it first (GitHub refuses that for a busy runner), or delete the pod by hand: kubectl -n ${namespace} delete pod ${name}`
}

/** Returns what ends the wait, as the end of a sentence. */
function nextStep({ container, arc, forge }: RunnerSigns, { object, raw }: ObjectFact): string {
  const hasPod = container === 'running' || container === 'lost'
  if (forge === 'busy' && !hasPod) return '; its pod no longer works, so repair again when GitHub has dropped it'
  if (forge === 'busy' || (arc === 'job' && hasPod)) return '; repair again when its job has ended'
  if (forge !== 'not-asked') return ''
  if (arc === 'job') return '; ask GitHub with --github-url whether it still lists the runner'
  const page = runnersPage(textAt(raw, 'spec', 'githubConfigUrl') ?? 'GitHub')
  return container === 'running'
    ? `; ask GitHub with --github-url, or make sure at ${page} that it is idle and delete its pod: kubectl -n ${object.namespace} delete pod ${object.name}`
    : ''
}
