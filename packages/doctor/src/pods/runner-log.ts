// Reads the state of a runner's connection from the end of its log (actions/runner 2.3xx: MessageListener, BrokerMessageListener).

/** `conflict`: another session holds the registration. `gone`: the forge no longer has the registration. */
type LogSign = { readonly is: 'conflict' | 'gone'; readonly line: string }

const signs: readonly (readonly [RegExp, LogSign['is'] | 'well'])[] = [
  [
    /A session for this runner already exists|TaskAgentSessionConflictException|connect error: Error: Conflict/i,
    'conflict',
  ],
  [/runner registration has been deleted from the server|Registration [0-9a-f-]{36} was not found/i, 'gone'],
  [/Listening for Jobs|Runner reconnected|Running job:/i, 'well'],
]
const lineMax = 160

/** The last significant line decides: a runner that continued after an error is healthy. */
export function readRunnerLog(tail: string): LogSign | undefined {
  for (const line of tail.split('\n').reverse()) {
    const [, is] = signs.find(([pattern]) => pattern.test(line)) ?? []
    if (is === 'well') return undefined
    if (is) return { is, line: withoutIds(line).slice(0, lineMax) }
  }
  return undefined
}

/** Drops the time, which the log has itself, and the prefix of the container's logger. */
function withoutIds(line: string): string {
  return line
    .replace(/^\[RUNNER [^\]]*\]\s*/, '')
    .replace(/^\d{4}-\d\d-\d\d[T ][\d:.]+Z?:?\s*/, '')
    .trim()
}
