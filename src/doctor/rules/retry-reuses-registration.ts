// A one-shot runner in a Job that retries: the second try registers with what the first has used up.

import type { Path } from '../../lib/read-json.ts'
import { numberAt } from '../../lib/read-json.ts'
import type { Fix, Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, isWhole, jobSpecOf, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'retry-reuses-registration',
  code: 'JOB206',
  title: 'A retry starts a runner again with a registration that is used up',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'unsafe',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  // What many Jobs of one template start with is no registration that serves once.
  if (!job || pod.owner !== 'Job' || !pod.isRunner || !isWhole(pod) || registersAnew(pod)) return []
  const policyPath: Path = [...pod.path, 'restartPolicy']
  const limitPath: Path = [...job.path, 'backoffLimit']
  const restarts = pod.restartPolicy === 'OnFailure'
  const written = 'backoffLimit' in job.fields
  const limit = written ? numberAt(job.fields, 'backoffLimit') : 6
  if (!restarts && (limit === undefined || limit === 0)) return []
  return [
    hitIn(pod, {
      path: restarts ? policyPath : written ? limitPath : job.path,
      message: `A runner registers once, but ${ways(restarts, limit, written)}: the next try runs with a used registration, or runs the pipeline twice.`,
      absent: restarts ? [] : [limitPath],
      fix: never(pod, policyPath, limitPath, { restarts, limit }),
      ...(restarts && written && limit !== undefined && limit !== 0
        ? { related: [{ path: limitPath, message: 'and this makes a new pod after a failure' }] }
        : {}),
    }),
  ]
}

/** Each start of it asks for a registration with a credential that lasts. */
function registersAnew({ containers }: PodView): boolean {
  const names = containers.flatMap(({ env, role }) => (role === 'container' ? Object.keys(env) : []))
  return names.some((name) => lasting.test(name)) && !names.some((name) => name.startsWith('ACTIONS_RUNNER_INPUT_'))
}

/** Personal tokens, keys of a GitHub App, Azure's agents, and the registration tokens of Gitea and Forgejo, which serve many times. */
const lasting =
  /^(ACCESS_TOKEN|GITHUB_PAT|APP_PRIVATE_KEY|AZP_TOKEN|(GITEA|FORGEJO)_RUNNER_REGISTRATION_TOKEN)(_FILE)?$/

function ways(restarts: boolean, limit: number | undefined, written: boolean): string {
  if (restarts) return 'restartPolicy OnFailure starts its container again after a failure'
  return `backoffLimit ${limit}${written ? '' : ' (the default)'} makes a new pod after a failure`
}

function never(
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
      // A limit that a template computes stays its own.
      ...(now.limit === 0 || now.limit === undefined ? [] : [{ do: 'set' as const, path: limitAt, value: 0 }]),
    ],
  }
}
