// Finds production code that uses ambient time, randomness, the environment, the terminal or the network.
import { type Finding, isTest, lineAt, type Source } from './source.ts'

type Ban = { readonly pattern: RegExp; readonly name: string; readonly instead: string }

const bans: readonly Ban[] = [
  { pattern: /\bDate\.now\b/g, name: 'Date.now', instead: 'clock.now() (src/lib/clock.ts)' },
  { pattern: /\bnew Date\(\s*\)/g, name: 'new Date()', instead: 'new Date(clock.now())' },
  { pattern: /\bDate\(\s*\)(?<!new Date\(\s*\))/g, name: 'Date()', instead: 'clock.now()' },
  { pattern: /\bperformance\.now\b/g, name: 'performance.now', instead: 'clock.now()' },
  {
    pattern: /(?<![.\w])set(?:Timeout|Interval|Immediate)\b|\bglobalThis\b/g,
    name: 'a timer',
    instead: 'clock.after or clock.sleep',
  },
  { pattern: /\bMath\.random\b/g, name: 'Math.random', instead: 'a Random argument (src/lib/random.ts)' },
  {
    pattern: /\b(?:randomUUID|randomBytes|getRandomValues|randomInt)\b/g,
    name: 'ambient randomness',
    instead: 'src/lib/ids.ts',
  },
  { pattern: /\bprocess\.env\b/g, name: 'process.env', instead: 'an argument that src/cli reads' },
  { pattern: /\bconsole\./g, name: 'console', instead: 'the journal, or src/cli/output.ts' },
  { pattern: /\bprocess\.(?:stdout|stderr)\b/g, name: 'process.stdout', instead: 'src/cli/output.ts' },
  { pattern: /(?<![.\w])fetch\(/g, name: 'fetch', instead: 'a Transport argument (src/lib/http.ts)' },
  { pattern: /\bAbortSignal\.any\b/g, name: 'AbortSignal.any', instead: 'linkSignals (src/lib/signals.ts)' },
  { pattern: /\bAbortSignal\.timeout\b/g, name: 'AbortSignal.timeout', instead: 'clock.after and an AbortController' },
]

/** Edge files, and what each may use: one file has the machine's clock and randomness, another the terminal. */
const edges: readonly { readonly files: RegExp; readonly free: RegExp }[] = [
  { files: /^src\/lib\/system\.ts$/, free: /./ },
  { files: /^src\/lib\/virtual-clock\.ts$/, free: /^a timer$/ },
  { files: /^src\/cli\/output\.ts$/, free: /^process\./ },
  { files: /^src\/cli\//, free: /^process\.env$/ },
  // This is a separate program, which runs in a pod.
  { files: /^src\/emulator\/runner\/main\.ts$/, free: /^process\./ },
]

export function checkBans(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = []
  for (const source of sources) {
    if (!source.path.startsWith('src/') || isTest(source.path)) continue
    const free = edges.filter((edge) => edge.files.test(source.path)).map((edge) => edge.free)
    for (const ban of bans) {
      if (free.some((pattern) => pattern.test(ban.name))) continue
      for (const match of source.code.matchAll(ban.pattern)) {
        findings.push({
          rule: 'ban',
          path: source.path,
          line: lineAt(source.code, match.index),
          message: `${ban.name} is ambient; use ${ban.instead}`,
        })
      }
    }
  }
  return findings
}
