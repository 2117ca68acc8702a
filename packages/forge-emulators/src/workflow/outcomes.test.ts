// Golden outcomes: the real reader and the real runner give the same outcome as GitHub for each of these workflows.
import { describe, expect, test } from 'vitest'
import { runLocally } from './local-runs.fixture.ts'

type Case = {
  readonly name: string
  readonly jobs: string
  readonly on?: string
  readonly top?: string
  readonly conclusion: 'success' | 'failure' | 'cancelled'
  /** The outcome of each job, in the order of the file. */
  readonly outcome: string
  readonly prints?: readonly string[]
  readonly never?: readonly string[]
  readonly cancelWhen?: RegExp
}

const cases: readonly Case[] = [
  {
    name: 'a failed step skips the rest, except failure() and always()',
    jobs: `
a:
  runs-on: linux
  steps:
    - run: exit 3
    - run: echo never
    - { id: f, if: failure(), run: 'echo "failed=\${{ job.status }}"' }
    - { id: w, if: always(), run: echo always }
    - { id: s, if: success(), run: echo never }
    - { id: c, if: cancelled(), run: echo never }`,
    conclusion: 'failure',
    outcome: 'a: failure run=failure run_2=skipped f=success w=success s=skipped c=skipped',
    prints: ['##[error]Process completed with exit code 3.', 'failed=failure', 'always'],
    never: ['never'],
  },
  {
    name: 'continue-on-error on a step: outcome failure, conclusion success, the job continues',
    jobs: `
a:
  runs-on: linux
  steps:
    - { id: x, continue-on-error: true, run: exit 1 }
    - { id: y, run: 'echo "\${{ steps.x.outcome }} \${{ steps.x.conclusion }} \${{ job.status }}"' }
    - { id: z, continue-on-error: "\${{ github.run_attempt == 1 }}", run: exit 1 }`,
    conclusion: 'success',
    outcome: 'a: success x=failure/success y=success z=failure/success',
    prints: ['failure success success'],
  },
  {
    name: 'a failed need skips its dependents, transitively; always() and failure() run',
    jobs: `
a: { runs-on: linux, steps: [{ run: exit 1 }] }
b: { runs-on: linux, needs: a, steps: [{ run: echo never }] }
c: { runs-on: linux, needs: b, steps: [{ run: echo never }] }
d: { runs-on: linux, needs: [b, c], if: always(), steps: [{ run: 'echo "d \${{ needs.b.result }} \${{ needs.c.result }}"' }] }
e: { runs-on: linux, needs: c, if: failure(), steps: [{ run: echo e }] }
f: { runs-on: linux, needs: d, steps: [{ run: echo never }] }`,
    conclusion: 'failure',
    outcome:
      'a: failure run=failure\nb: skipped\nc: skipped\nd: success run=success\ne: success run=success\nf: skipped',
    prints: ['d skipped skipped', 'e'],
    never: ['never'],
  },
  {
    name: 'a skipped ancestor skips a job whose direct need succeeded',
    jobs: `
a: { runs-on: linux, if: false, steps: [{ run: echo never }] }
b: { runs-on: linux, needs: a, if: "always() && needs.a.result == 'skipped'", steps: [{ run: echo b }] }
c: { runs-on: linux, needs: b, steps: [{ run: echo never }] }
d: { runs-on: linux, needs: b, if: "!failure() && !cancelled()", steps: [{ run: echo d }] }`,
    conclusion: 'success',
    outcome: 'a: skipped\nb: success run=success\nc: skipped\nd: success run=success',
    prints: ['b', 'd'],
    never: ['never'],
  },
  {
    name: 'continue-on-error on a job: it failed, but its result is success and the run succeeds',
    jobs: `
a: { runs-on: linux, continue-on-error: true, steps: [{ run: exit 1 }] }
b: { runs-on: linux, needs: a, steps: [{ run: 'echo "b \${{ needs.a.result }}"' }] }`,
    conclusion: 'success',
    outcome: 'a: failure (allowed) run=failure\nb: success run=success',
    prints: ['b success'],
  },
  {
    name: 'outputs go from step to job to needs, including heredocs and JSON',
    jobs: `
a:
  runs-on: linux
  outputs: { one: "\${{ steps.s.outputs.one }}", list: "\${{ steps.s.outputs.list }}", text: "\${{ steps.s.outputs.text }}", none: "\${{ steps.nope.outputs.x }}" }
  steps:
    - id: s
      run: |
        echo "one=1=1" >> "$GITHUB_OUTPUT"
        echo 'list=["x","y"]' >> "$GITHUB_OUTPUT"
        printf 'text<<END OF\\nline 1\\n\\nline=3\\nEND OF\\n' >> "$GITHUB_OUTPUT"
b:
  needs: a
  runs-on: linux
  strategy: { matrix: { item: "\${{ fromJSON(needs.a.outputs.list) }}" } }
  steps:
    - env: { TEXT: "\${{ needs.a.outputs.text }}" }
      run: echo "b \${{ matrix.item }} \${{ needs.a.outputs.one }} [\${{ needs.a.outputs.none }}] $TEXT"`,
    conclusion: 'success',
    outcome: 'a: success s=success\nb (x): success run=success\nb (y): success run=success',
    prints: ['b x 1=1 [] line 1', 'b y 1=1 [] line 1', 'line=3'],
  },
  {
    name: 'env at three levels, GITHUB_ENV, GITHUB_PATH',
    top: `env: { A: top, B: top, C: top, N: 3.10, T: true, EMPTY: }`,
    jobs: `
a:
  runs-on: linux
  env: { B: job, C: job }
  steps:
    - env: { C: step, D: "\${{ env.B }}" }
      run: echo "1 $A $B $C $D $N $T [$EMPTY]"
    - run: |
        echo "A=file" >> "$GITHUB_ENV"
        mkdir -p bin && printf '#!/bin/sh\\necho from-bin' > bin/tool && chmod +x bin/tool
        echo "$PWD/bin" >> "$GITHUB_PATH"
    - run: echo "2 $A $B $C \${{ env.A }}"; tool`,
    conclusion: 'success',
    outcome: 'a: success run=success run_2=success run_3=success',
    prints: ['1 top job step job 3.1 true []', '2 file job job file', 'from-bin'],
  },
  {
    name: 'defaults, working-directory, shells',
    top: 'defaults: { run: { shell: "sh -e {0}", working-directory: sub } }',
    jobs: `
a:
  runs-on: linux
  steps:
    - { run: 'mkdir sub; case "$0" in *.sh) echo a-script-file;; esac', working-directory: . }
    - run: basename "$PWD"
    - { run: 'false | true; echo piped', shell: 'bash -e {0}' }
    - { id: pipe, run: 'false | true; echo never', shell: bash, continue-on-error: true }
    - { id: py, run: 'print("py", 1 + 1)', shell: python }
    - { id: nodir, run: echo never, working-directory: missing, continue-on-error: true }
    - { id: noshell, run: echo never, shell: 'nosuchshell {0}', continue-on-error: true }
    - { id: bad, run: echo never, shell: fish, continue-on-error: true }
b:
  runs-on: linux
  defaults: { run: { working-directory: . } }
  steps: [{ run: 'echo "b in $(basename "$PWD")"' }]`,
    conclusion: 'success',
    outcome:
      'a: success run=success run_2=success run_3=success pipe=failure/success py=success nodir=failure/success noshell=failure/success bad=failure/success\nb: success run=success',
    prints: ['a-script-file', 'sub', 'piped', 'py 2', '##[error]nosuchshell: command not found', 'b in workflow'],
    never: ['never'],
  },
  {
    name: 'a matrix with include and exclude, names, and its contexts',
    jobs: `
a:
  runs-on: linux
  strategy:
    max-parallel: 1
    matrix:
      os: [x, y]
      v: [1, 2]
      exclude: [{ os: x, v: 2 }]
      include: [{ os: y, v: 2, extra: yes }, { os: z, v: 9 }]
  name: n \${{ matrix.os }}-\${{ matrix.v }}
  steps: [{ run: 'echo "m \${{ matrix.os }} \${{ matrix.v }} [\${{ matrix.extra }}] \${{ strategy.job-index }}/\${{ strategy.job-total }} \${{ strategy.max-parallel }}"' }]`,
    conclusion: 'success',
    outcome:
      'n x-1: success run=success\nn y-1: success run=success\nn y-2: success run=success\nn z-9: success run=success',
    prints: ['m x 1 [] 0/4 1', 'm y 1 [] 1/4 1', 'm y 2 [yes] 2/4 1', 'm z 9 [] 3/4 1'],
  },
  {
    name: 'fail-fast cancels the rest of the matrix, and the matrix fails',
    jobs: `
a:
  runs-on: linux
  strategy: { max-parallel: 2, matrix: { n: [1, 2, 3, 4] } }
  steps:
    - run: if [ \${{ matrix.n }} = 2 ]; then exit 1; else sleep 20; fi
b: { needs: a, runs-on: linux, if: always(), steps: [{ run: 'echo "b \${{ needs.a.result }}"' }] }`,
    conclusion: 'failure',
    outcome:
      'a (1): cancelled run=cancelled\na (2): failure run=failure\na (3): cancelled\na (4): cancelled\nb: success run=success',
    prints: ['b failure', '##[error]The operation was canceled.'],
  },
  {
    name: 'without fail-fast every cell runs; an allowed cell does not fail the matrix',
    jobs: `
a:
  runs-on: linux
  continue-on-error: \${{ matrix.n == 1 }}
  strategy: { fail-fast: true, matrix: { n: [1, 2] } }
  steps: [{ run: 'test \${{ matrix.n }} = 2' }]
b:
  runs-on: linux
  strategy: { fail-fast: false, matrix: { n: [1, 2] } }
  steps: [{ run: 'test \${{ matrix.n }} = 2' }]`,
    conclusion: 'failure',
    outcome:
      'a (1): failure (allowed) run=failure\na (2): success run=success\nb (1): failure run=failure\nb (2): success run=success',
  },
  {
    name: 'a step that times out fails; a job that times out is cancelled',
    jobs: `
a:
  runs-on: linux
  steps:
    - { id: slow, timeout-minutes: 0.003, run: sleep 20 }
    - { id: f, if: failure(), run: echo step-failed }
b:
  runs-on: linux
  timeout-minutes: 0.005
  steps:
    - { id: slow, run: sleep 20 }
    - { id: n, run: echo never }
    - { id: f, if: failure(), run: echo never }
    - { id: c, if: cancelled(), run: 'echo "job-cancelled \${{ job.status }}"' }
    - { id: w, if: always(), run: echo job-always }
c: { needs: b, runs-on: linux, if: always(), steps: [{ run: 'echo "c \${{ needs.b.result }}"' }] }`,
    conclusion: 'failure',
    outcome:
      'a: failure slow=failure f=success\nb: cancelled slow=cancelled n=skipped f=skipped c=success w=success\nc: success run=success',
    prints: [
      'step-failed',
      'job-cancelled cancelled',
      'job-always',
      'c cancelled',
      "##[error]The action 'Run sleep 20' has timed out after 0.003 minutes.",
      '##[error]The job running on runner local has exceeded the maximum execution time of 0.005 minutes.',
    ],
    never: ['never'],
  },
  {
    name: 'a cancelled run stops its steps and runs those with always()',
    jobs: `
a:
  runs-on: linux
  steps:
    - { id: one, run: 'echo started; sleep 20' }
    - { id: two, run: echo never }
    - { id: three, if: always(), run: echo cleanup }
b: { needs: a, runs-on: linux, steps: [{ run: echo never }] }
c: { needs: a, runs-on: linux, if: always(), steps: [{ run: echo c }] }`,
    cancelWhen: /^started$/,
    conclusion: 'cancelled',
    outcome: 'a: cancelled one=cancelled two=skipped three=success\nb: cancelled\nc: success run=success',
    prints: ['cleanup', 'c'],
    never: ['never'],
  },
  {
    name: 'a cancellation does not stop a step with always()',
    jobs: `
a:
  runs-on: linux
  steps:
    - { id: one, if: always(), run: 'echo started; sleep 0.3; echo went-on' }
    - { id: two, run: echo never }`,
    cancelWhen: /^started$/,
    conclusion: 'cancelled',
    outcome: 'a: cancelled one=success two=skipped',
    prints: ['went-on'],
    never: ['never'],
  },
  {
    name: 'an expression error fails only its step, or its job',
    jobs: `
a:
  runs-on: linux
  steps:
    - { id: x, run: 'echo \${{ fromJSON(github.actor_id).x }} \${{ fromJSON(github.workflow) }}', continue-on-error: true }
    - { id: y, if: "fromJSON('{')", run: echo never }
    - { id: z, if: always(), env: { A: "\${{ fromJSON('') }}" }, run: echo never }
b: { runs-on: linux, strategy: { matrix: "\${{ fromJSON('[1]') }}" }, steps: [{ run: echo never }] }
c: { runs-on: linux, steps: [{ run: echo c }] }`,
    conclusion: 'failure',
    outcome: 'a: failure x=failure/success y=failure z=failure\nb: failure\nc: success run=success',
    prints: ['c'],
    never: ['never'],
  },
  {
    name: 'an unsupported action is listed as skipped; a failed checkout fails the job',
    jobs: `
a:
  runs-on: linux
  steps:
    - uses: actions/setup-node@v4
      with: { node-version: 20 }
    - { id: cache, uses: actions/cache@v4, with: { path: x, key: "\${{ hashFiles('**') }}" } }
    - run: echo "after [\${{ steps.cache.outputs.cache-hit }}] \${{ steps.cache.conclusion }}"
    - uses: actions/checkout@v4`,
    conclusion: 'failure',
    outcome: 'a: failure actions_setup-node=skipped cache=skipped run=success actions_checkout=failure',
    prints: [
      'Skipped: Run actions/setup-node@v4. The action actions/setup-node@v4 is not supported.',
      'after [] skipped',
      '##[error]The workflow file is not in a git repository with a commit. Commit it to a repository, then run it again.',
    ],
  },
  {
    name: 'workflow commands',
    jobs: `
a:
  runs-on: linux
  outputs: { secret: "\${{ steps.mask.outputs.v }}", old: "\${{ steps.old.outputs.v }}" }
  steps:
    - id: mask
      run: |
        echo "::add-mask::pa55word"
        echo "it is pa55word"
        echo "v=pa55word" >> "$GITHUB_OUTPUT"
        echo "token \${{ secrets.GITHUB_TOKEN }} \${{ github.token }}"
    - run: |
        echo "::error file=a.js,line=1::bad%0Athing"
        echo "::warning::careful"
        echo "  ::notice title=x::note"
        echo "::debug::hidden"
        echo "::group::My group"
        echo "::endgroup::"
        echo "::nosuch::shown as it is"
        echo "::stop-commands::tok"
        echo "::error::not a command"
        echo "::tok::"
        echo "::warning::again"
    - { id: old, run: 'echo "::set-output name=v::1"' }
    - { id: env, run: 'echo "::set-env name=X::1"', continue-on-error: true }
    - { id: file, run: 'echo nonsense >> "$GITHUB_OUTPUT"', continue-on-error: true }
    - { id: heredoc, run: 'echo "a<<EOF" >> "$GITHUB_ENV"', continue-on-error: true }
b: { needs: a, runs-on: linux, steps: [{ run: 'echo "b [\${{ needs.a.outputs.secret }}] \${{ needs.a.outputs.old }}"' }] }`,
    conclusion: 'success',
    outcome:
      'a: success mask=success run=success old=success env=failure/success file=failure/success heredoc=failure/success\nb: success run=success',
    prints: [
      'it is ***',
      'token *** ***',
      '##[error]bad thing',
      '##[warning]careful',
      '##[notice]note',
      '##[group]My group',
      '##[endgroup]',
      '::nosuch::shown as it is',
      '::error::not a command',
      '##[warning]again',
      'b [] 1',
    ],
    never: ['hidden', 'it is pa55word'],
  },
  {
    name: 'text around an expression makes a condition true, and an input of the event is a text',
    on: 'workflow_dispatch: { inputs: { ship: { type: boolean, default: false } } }',
    jobs: `
a:
  runs-on: linux
  steps:
    - { id: text, if: "\${{ github.ref }} == 'refs/heads/nope'", run: echo text }
    - { id: inner, if: "github.ref == 'refs/heads/\${{ env.NOPE }}'", run: echo inner }
    - id: break
      if: |
        \${{ false }}
      run: echo break
    - { id: whole, if: "\${{ github.ref == 'refs/heads/nope' }}", run: echo never }
    - { id: event, if: github.event.inputs.ship, run: echo event }
    - { id: input, if: inputs.ship, run: echo never }
    - run: echo "is \${{ inputs.ship == false }} \${{ github.event.inputs.ship == false }} \${{ github.event.inputs.ship == 'false' }}"`,
    conclusion: 'success',
    outcome:
      'a: success text=success inner=success break=success whole=skipped event=success input=skipped run=success',
    prints: ['text', 'inner', 'break', 'event', 'is true false true'],
    never: ['never'],
  },
  {
    name: 'a summary that is too large is dropped, NODE_OPTIONS is refused, and neither step fails',
    jobs: `
a:
  runs-on: linux
  steps:
    - { id: full, run: 'head -c 1048576 /dev/zero >> "$GITHUB_STEP_SUMMARY"' }
    - { id: large, run: 'head -c 1100000 /dev/zero >> "$GITHUB_STEP_SUMMARY"; echo v=1 >> "$GITHUB_OUTPUT"' }
    - { id: node, run: 'printf "NODE_OPTIONS=x\\nNEXT=y\\n" >> "$GITHUB_ENV"' }
    - run: echo "after \${{ steps.large.outputs.v }} [$NODE_OPTIONS] $NEXT"`,
    conclusion: 'success',
    outcome: 'a: success full=success large=success node=success run=success',
    prints: [
      '##[error]$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got 1074k. For more information see: https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions#adding-a-markdown-summary',
      "##[error]Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.",
      'after 1 [] y',
    ],
    never: [],
  },
  {
    name: 'the usual variables and contexts',
    jobs: `
my-job:
  runs-on: [self-hosted, linux]
  steps:
    - id: me
      run: |
        echo "1 $CI $GITHUB_ACTIONS $GITHUB_JOB $GITHUB_ACTION $GITHUB_EVENT_NAME $GITHUB_RUN_ATTEMPT $RUNNER_OS $RUNNER_NAME"
        test "$GITHUB_WORKSPACE" = "$PWD" && test -d "$RUNNER_TEMP" && test -d "$RUNNER_TOOL_CACHE" && echo "2 folders"
        test -f "$GITHUB_EVENT_PATH" && test -f "$GITHUB_STEP_SUMMARY" && test -f "$GITHUB_STATE" && echo "3 files"
        echo "# summary" >> "$GITHUB_STEP_SUMMARY"
        echo "4 \${{ github.job }} \${{ github.workspace == env.GITHUB_WORKSPACE }} \${{ runner.os }} \${{ github.ref }} [\${{ vars.X }}\${{ secrets.X }}\${{ inputs.x }}]"
        echo "5 \${{ format('{0}-{1}', 'a', 1) }} \${{ join(fromJSON('[1,2]'), '+') }} \${{ contains('Abc', 'b') }} \${{ 'a' == 'A' }} \${{ toJSON('x') }}"
        echo "6 \${{ hashFiles('nothing') }}|\${{ env.nothing }}"`,
    conclusion: 'success',
    outcome: 'my-job: success me=success',
    prints: [
      '1 true true my-job me push 1 Linux local',
      '2 folders',
      '3 files',
      '4 my-job false Linux refs/heads/main []',
      '5 a-1 1+2 true true x',
      '6 |',
    ],
  },
]

describe('golden outcomes', () => {
  for (const {
    name,
    on = 'push:',
    jobs,
    top = '',
    conclusion,
    outcome,
    prints = [],
    never = [],
    cancelWhen,
  } of cases) {
    test.concurrent(name, async () => {
      const text = `on: { ${on} }\n${top}\njobs:\n${jobs.replace(/^(?=.)/gm, '  ')}\n`
      const run = await runLocally(text, cancelWhen ? { cancelWhen } : {})
      expect(run.summary, run.log.join('\n')).toBe(outcome)
      expect(run.conclusion).toBe(conclusion)
      for (const line of prints) expect(run.log).toContain(line)
      for (const line of never) expect(run.log).not.toContain(line)
    })
  }
})
