// The rule by which the cleaner of Atlassian's autoscaler 3.7.0 deletes runners, busy ones among them (docs/reference/bitbucket.md#s5).

/** A runner as Bitbucket lists it. */
export type ListedRunner = {
  readonly uuid: string
  readonly labels: readonly string[]
  readonly created_on: string
  readonly state: { readonly status: string; readonly updated_on: string; readonly step?: object | null }
}

export function isCleanable({ labels, state }: ListedRunner, coolDownMs: number, now: number): boolean {
  const isOwn = labels.includes('autoscaler.created')
  if (!isOwn || now - Date.parse(state.updated_on) <= coolDownMs) return false
  return state.status === 'DISABLED' ? !state.step : state.status !== 'ONLINE'
}
