// Finds Jobs that retry an ephemeral runner: the second try reuses the registration of the first.
import type { Path } from '@dayfly/kit/read-json'
import { numberAt } from '@dayfly/kit/read-json'
import type { Fix, Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { isLastingRunner } from '../pods/lasting-runner.ts'
import { hitIn, isWhole, jobSpecOf, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'retry-reuses-registration',
  code: 'JOB206',
  title: 'A retry starts a runner again with a used registration',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  // A template of many Jobs cannot contain a registration that works only once.
  if (!job || pod.owner !== 'Job' || !pod.isRunner || !isWhole(pod)) return []
  if (isLastingRunner(pod) || registersAtEachStart(pod)) return []
  const policyPath: Path = [...pod.path, 'restartPolicy']
  const limitPath: Path = [...job.path, 'backoffLimit']
  const restarts = pod.restartPolicy === 'OnFailure'
  const written = 'backoffLimit' in job.fields
  const limit = written ? numberAt(job.fields, 'backoffLimit') : 6
  if (!restarts && (limit === undefined || limit === 0)) return []
  return [
    hitIn(pod, {
      path: restarts ? policyPath : written ? limitPath : job.path,
      message: `A runner registers once, but ${retryReason(restarts, limit, written)}. The next try uses a registration that is already used, or runs the pipeline twice. Set restartPolicy Never and backoffLimit 0.`,
      absent: restarts ? [] : [limitPath],
      fix: neverRetry(pod, policyPath, limitPath, { restarts, limit }),
      ...(restarts && written && limit !== undefined && limit !== 0
        ? { related: [{ path: limitPath, message: 'this also creates a new pod after a failure' }] }
        : {}),
    }),
  ]
}

/** Returns whether the runner requests a new registration at each start, with a lasting credential. */
function registersAtEachStart({ containers }: PodView): boolean {
  const names = containers.flatMap(({ env, role }) => (role === 'container' ? Object.keys(env) : []))
  return (
    names.some((name) => lastingCredential.test(name)) &&
    !names.some((name) => name.startsWith('ACTIONS_RUNNER_INPUT_'))
  )
}

/** The variables of credentials that work many times: personal tokens, GitHub App keys, Azure agents, tokens of Gitea and Forgejo. */
const lastingCredential =
  /^(ACCESS_TOKEN|GITHUB_PAT|APP_PRIVATE_KEY|AZP_TOKEN|(GITEA|FORGEJO)_RUNNER_REGISTRATION_TOKEN)(_FILE)?$/

function retryReason(restarts: boolean, limit: number | undefined, written: boolean): string {
  if (restarts) return 'restartPolicy OnFailure restarts its container after a failure'
  return `backoffLimit ${limit}${written ? '' : ' (the default)'} creates a new pod after a failure`
}

function neverRetry(
  pod: PodView,
  policy: Path,
  limitAt: Path,
  now: { readonly restarts: boolean; readonly limit: number | undefined },
): Fix {
  return {
    safety: 'unsafe',
    title:
      now.limit === undefined
        ? 'Do not retry: restartPolicy Never'
        : 'Do not retry: restartPolicy Never and backoffLimit 0',
    edits: [
      ...(now.restarts || pod.restartPolicy === undefined
        ? [{ do: 'set' as const, path: policy, value: 'Never' }]
        : []),
      // A limit that a template computes is not changed.
      ...(now.limit === 0 || now.limit === undefined ? [] : [{ do: 'set' as const, path: limitAt, value: 0 }]),
    ],
  }
}
