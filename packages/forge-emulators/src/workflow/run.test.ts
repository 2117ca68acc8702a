// The state machine of a run: which jobs it releases in which order, for any graph and any reports.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Conclusion, JobReport } from '../job.ts'
import { workflowKind } from '../source/kind.ts'
import { checkSource } from '../source/source.ts'
import { runFacts } from './facts.ts'
import { parseWorkflowSource } from './parse.ts'
import { createRun, type Run } from './run.ts'

async function runOf(text: string): Promise<Run> {
  const workflow = await parseWorkflowSource(checkSource('test.yml', Buffer.from(text), workflowKind))
  return createRun(workflow, runFacts(workflow, undefined, 7))
}

function report(conclusion: Conclusion, outputs: Record<string, string> = {}): JobReport {
  return { conclusion, outputs, steps: [], note: undefined }
}

describe('run', () => {
  test('releases each ready job once, and the next ones after its report', async () => {
    const run = await runOf(`on: push
jobs:
  a: { runs-on: [self-hosted, linux], steps: [{ run: echo }] }
  b: { needs: a, runs-on: '\${{ needs.a.outputs.where }}', steps: [{ run: echo }] }
`)
    const [a, ...others] = run.ready()
    expect(others).toEqual([])
    expect(a).toMatchObject({ key: 'a', name: 'a', labels: ['self-hosted', 'linux'] })
    expect(run.ready()).toEqual([])
    expect(run.conclusion()).toBeUndefined()
    run.complete('a', report('success', { where: 'gpu' }))
    run.complete('a', report('failure'))
    expect(run.ready()).toMatchObject([{ key: 'b', labels: ['gpu'] }])
    run.complete('b', report('success'))
    expect(run.conclusion()).toBe('success')
  })

  test('max-parallel delays cells; the last output of a matrix that is not empty wins', async () => {
    const run = await runOf(`on: push
jobs:
  a: { runs-on: x, strategy: { max-parallel: 2, matrix: { n: [1, 2, 3] } }, steps: [{ run: echo }] }
  b: { needs: a, runs-on: x, name: "got \${{ needs.a.outputs.v }}", steps: [{ run: echo }] }
`)
    expect(run.ready().map((job) => job.name)).toEqual(['a (1)', 'a (2)'])
    run.complete('a/1', report('success', { v: 'two' }))
    expect(run.ready().map((job) => job.name)).toEqual(['a (3)'])
    run.complete('a/2', report('success', { v: 'three' }))
    run.complete('a/0', report('success', { v: '' }))
    expect(run.ready().map((job) => job.name)).toEqual(['got three'])
  })

  test('fail-fast cancels running cells, and drops the others', async () => {
    const run = await runOf(`on: push
jobs:
  a: { runs-on: x, strategy: { max-parallel: 2, matrix: { n: [1, 2, 3] } }, steps: [{ run: echo }] }
`)
    run.ready()
    run.complete('a/0', report('failure'))
    expect(run.cancellations()).toEqual(['a/1'])
    expect(run.cancellations()).toEqual([])
    expect(run.ready()).toEqual([])
    expect(run.conclusion()).toBeUndefined()
    run.complete('a/1', report('success'))
    expect(run.conclusion()).toBe('failure')
    expect(run.outcomes().map(({ key, conclusion }) => `${key} ${conclusion}`)).toEqual([
      'a/0 failure',
      'a/1 success',
      'a/2 cancelled',
    ])
  })

  test('a cancelled run drops jobs that have not started, and cancels running ones', async () => {
    const run = await runOf(`on: push
jobs:
  a: { runs-on: x, steps: [{ run: echo }] }
  b: { runs-on: x, steps: [{ run: echo }] }
  c: { needs: a, runs-on: x, steps: [{ run: echo }] }
`)
    const [first] = run.ready()
    expect(first?.key).toBe('a')
    run.cancel()
    run.cancel()
    expect(run.cancellations()).toEqual(['a', 'b'])
    run.complete('a', report('cancelled'))
    run.complete('b', report('success'))
    expect(run.conclusion()).toBe('cancelled')
  })

  test('puts timeout, job name and defaults into the message, and cuts long names', async () => {
    const run = await runOf(`on: push
defaults: { run: { shell: sh } }
jobs:
  a: { runs-on: x, timeout-minutes: '\${{ fromJSON(github.run_id) }}', name: ${'n'.repeat(120)}, defaults: { run: { working-directory: d } }, steps: [{ run: echo }] }
`)
    const [job] = run.ready()
    expect(job?.name).toBe(`${'n'.repeat(97)}...`)
    expect(job?.message).toMatchObject({ timeoutMinutes: 7, defaults: { shell: 'sh', workingDirectory: 'd' } })
  })

  test('for any graph and any reports, each job runs once, never before its needs, and the run ends', async () => {
    const count = 6
    const conclusions = fc.constantFrom<Conclusion>('success', 'failure', 'cancelled')
    const graph = fc.record({
      needs: fc.array(fc.array(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }),
      ifs: fc.array(fc.constantFrom('success()', 'always()', 'failure()', '!cancelled()', 'false'), {
        minLength: count,
        maxLength: count,
      }),
      cells: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: count, maxLength: count }),
      reports: fc.array(conclusions, { minLength: 30, maxLength: 30 }),
      picks: fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
      cancelAt: fc.option(fc.nat(12), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(graph, async ({ needs, ifs, cells, reports, picks, cancelAt }) => {
        const lines = needs.map((list, index) => {
          const earlier = [...new Set(list.filter((need) => need < index))].map((need) => `j${need}`)
          const matrix = `strategy: { fail-fast: ${index % 2 === 0}, matrix: { n: [${Array.from({ length: cells[index] ?? 1 }, (_, n) => n)}] } }`
          return `  j${index}: { needs: [${earlier}], if: "${ifs[index]}", ${matrix}, runs-on: x, steps: [{ run: echo }] }`
        })
        const run = await runOf(`on: push\njobs:\n${lines.join('\n')}\n`)
        const out: string[] = []
        const seen = new Set<string>()
        const over = new Set<string>()
        for (let turn = 0; ; turn++) {
          for (const { key, message } of run.ready()) {
            expect(seen.has(key)).toBe(false)
            seen.add(key)
            out.push(key)
            const index = Number(message.key.slice(1))
            for (const need of (needs[index] ?? []).filter((need) => need < index)) {
              expect(run.outcomes().some((outcome) => outcome.key.startsWith(`j${need}`))).toBe(true)
              expect(out.some((other) => other.startsWith(`j${need}/`))).toBe(false)
            }
          }
          if (turn === cancelAt) run.cancel()
          if (out.length === 0 && run.ready().length === 0) break
          const [key] = out.splice((picks[turn % 30] ?? 0) % out.length, 1)
          if (key === undefined) break
          over.add(key)
          run.complete(key, report(reports[turn % 30] ?? 'success'))
        }
        expect(run.conclusion()).toBeDefined()
        expect([...over].sort()).toEqual([...seen].sort())
        for (const { key } of run.outcomes()) if (seen.has(key)) expect(over.has(key)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})
