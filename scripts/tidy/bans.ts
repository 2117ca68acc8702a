// Finds production code that uses ambient time, randomness, the environment, the terminal or the network.
import { type Finding, isProduction, lineAt, type Source } from './source.ts'

type Ban = { readonly pattern: RegExp; readonly name: string; readonly instead: string }

const bans: readonly Ban[] = [
  { pattern: /\bDate\.now\b/g, name: 'Date.now', instead: 'clock.now() (packages/kit/src/clock.ts)' },
  { pattern: /\bnew Date\(\s*\)/g, name: 'new Date()', instead: 'new Date(clock.now())' },
  { pattern: /\bDate\(\s*\)(?<!new Date\(\s*\))/g, name: 'Date()', instead: 'clock.now()' },
  { pattern: /\bperformance\.now\b/g, name: 'performance.now', instead: 'clock.now()' },
  {
    pattern: /(?<![.\w])set(?:Timeout|Interval|Immediate)\b|\bglobalThis\b/g,
    name: 'a timer',
    instead: 'clock.after or clock.sleep',
  },
  { pattern: /\bMath\.random\b/g, name: 'Math.random', instead: 'a Random argument (packages/kit/src/random.ts)' },
  {
    pattern: /\b(?:randomUUID|randomBytes|getRandomValues|randomInt)\b/g,
    name: 'ambient randomness',
    instead: 'packages/kit/src/ids.ts',
  },
  { pattern: /\bprocess\.env\b/g, name: 'process.env', instead: 'an argument that packages/command-line/src reads' },
  { pattern: /\bconsole\./g, name: 'console', instead: 'the journal, or packages/command-line/src/output.ts' },
  {
    pattern: /\bprocess\.(?:stdout|stderr)\b/g,
    name: 'process.stdout',
    instead: 'packages/command-line/src/output.ts',
  },
  { pattern: /(?<![.\w])fetch\(/g, name: 'fetch', instead: 'a Transport argument (packages/kit/src/http.ts)' },
  { pattern: /\bAbortSignal\.any\b/g, name: 'AbortSignal.any', instead: 'linkSignals (packages/kit/src/signals.ts)' },
  { pattern: /\bAbortSignal\.timeout\b/g, name: 'AbortSignal.timeout', instead: 'clock.after and an AbortController' },
]

/** Edge files, and what each may use: one file has the machine's clock and randomness, another the terminal. */
const edges: readonly { readonly files: RegExp; readonly free: RegExp }[] = [
  { files: /^packages\/kit\/src\/system\.ts$/, free: /./ },
  { files: /^packages\/kit\/src\/virtual-clock\.ts$/, free: /^a timer$/ },
  { files: /^packages\/command-line\/src\/output\.ts$/, free: /^process\./ },
  { files: /^packages\/(?:command-line\/src|[^/]+\/src\/(?:command|command-line|open))\//, free: /^process\.env$/ },
  // This is a separate program, which runs in a pod.
  { files: /^packages\/forge-emulators\/src\/runner\/main\.ts$/, free: /^process\./ },
]

export function checkBans(sources: readonly Source[]): Finding[] {
  const findings: Finding[] = []
  for (const source of sources) {
    if (!isProduction(source.path)) continue
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
