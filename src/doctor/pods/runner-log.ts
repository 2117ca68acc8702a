// What the end of a runner's log says of its connection (actions/runner 2.3xx: MessageListener, BrokerMessageListener).

/** `conflict`: another session holds its registration. `gone`: the forge has no such registration any more. */
export type LogSign = { readonly is: 'conflict' | 'gone'; readonly line: string }

const signs: readonly (readonly [RegExp, LogSign['is'] | 'well'])[] = [
  [
    /A session for this runner already exists|TaskAgentSessionConflictException|connect error: Error: Conflict/i,
    'conflict',
  ],
  [/runner registration has been deleted from the server|Registration [0-9a-f-]{36} was not found/i, 'gone'],
  [/Listening for Jobs|Runner reconnected|Running job:/i, 'well'],
]
const lineMax = 160

/** By the last line that says anything: a runner that went on afterwards is well. */
export function readRunnerLog(tail: string): LogSign | undefined {
  for (const line of tail.split('\n').reverse()) {
    const [, is] = signs.find(([pattern]) => pattern.test(line)) ?? []
    if (is === 'well') return undefined
    if (is) return { is, line: withoutIds(line).slice(0, lineMax) }
  }
  return undefined
}

/** The time is the log's own, and the prefix of the container's logger says nothing. */
function withoutIds(line: string): string {
  return line
    .replace(/^\[RUNNER [^\]]*\]\s*/, '')
    .replace(/^\d{4}-\d\d-\d\d[T ][\d:.]+Z?:?\s*/, '')
    .trim()
}
