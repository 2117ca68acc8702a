// The sets of a cluster or of one namespace, each with its work, its problems, and the controller that leads.
import type { Instant } from '@dayfly/kit/clock'
import { type Leader, type LeaseChoice, readLeaders, serves, type Work, workOn } from './leader.ts'
import { type Problem, problemsOf } from './problems.ts'
import type { Cluster, Known } from './read.ts'
import { readSets, type SetView } from './set-view.ts'

export type Judged = { readonly view: SetView; readonly work: Work; readonly problems: readonly Problem[] }

export type Overview = {
  readonly at: Instant
  readonly leaders: Known<readonly Leader[]>
  readonly sets: readonly Judged[]
}

export async function readOverview(
  cluster: Cluster,
  namespace: string | undefined,
  lease: LeaseChoice,
): Promise<Overview> {
  const views = await readSets(cluster, namespace)
  const near = new Set([...views.map((view) => view.namespace), ...(namespace === undefined ? [] : [namespace])])
  const leaders = await readLeaders(cluster, lease, [...near])
  const at = cluster.clock.now()
  const sets = views.map((view) => judge(view, leaders, at))
  if (!leaders.known) return { at, leaders, sets }
  return { at, leaders: { known: true, value: leaders.value.filter((one) => serves(one, namespace)) }, sets }
}

/** Says what is wrong with one set. */
export function judge(view: SetView, leaders: Known<readonly Leader[]>, now: Instant): Judged {
  const work = workOn(view, leaders, now)
  return { view, work, problems: problemsOf(view, work) }
}
