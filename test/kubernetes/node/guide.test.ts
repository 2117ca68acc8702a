// Follows the guide on a real node, as a reader does: every command, manifest and workflow of every page, in order.
// test/dayfly/guide.test.ts proves that no page shows a command that is not run here.
import path from 'node:path'
import { runnerSets } from '@dayfly/controller/resources'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandsOf, type GuideBlock, type GuidePage, guidePages, guideSteps } from '../../dayfly/guide-pages.ts'
import { crds, object } from '../client-place.ts'
import { breakSet, leaveSecret, leftAt, lostSecret } from './guide-mishaps.ts'
import { comparable } from './guide-output.ts'
import { hasFound, isEndless } from './guide-shell.ts'
import { type GuideStage, openGuideStage } from './guide-stage.ts'
import { conditionOf } from './installation.ts'
import { nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { fates, jobsOf } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the commands of the guide', (context) => context.skip(whyNoNode)))

/** The namespace of runners that the pages name. */
const runnerNamespace = 'ci'

function suite(kubeconfig: string): void {
  let opened: GuideStage | undefined
  const stage = (): GuideStage => {
    if (!opened) throw new Error('the stage is not open')
    return opened
  }
  /** The jobs that were queued and must succeed before the next page. */
  let ids: readonly string[] = []
  let digest = 'none'

  beforeAll(async () => {
    opened = await openGuideStage(kubeconfig)
  })
  afterAll(async () => {
    await opened?.node.kubernetes.delete(crds, { name: 'runnersets.dayfly.dev' }).catch(() => {})
    await opened?.close()
  })

  /** Runs commands, which must succeed. @param mayFind they may also end with what they found */
  async function run(
    page: GuidePage,
    commands: string,
    mayFind = /^dayfly (?:doctor|sweep|takeover)\b/.test(commands),
  ) {
    const result = await stage().shell.run(commands, { ...stage().own(page), DIGEST: digest })
    const isFine = result.code === 0 || (mayFind && hasFound(result))
    expect(isFine, `ended with ${result.code}:\n${result.stdout}${result.stderr}`).toBe(true)
    // The commands that ask the forge succeed without its answer, and then say so.
    if (/--(?:forge|github-url)\b/.test(commands))
      expect(result.stdout).not.toMatch(/(?:state|Registrations) at the forge:/)
    digest = /--confirm (\w+)/.exec(result.stdout)?.[1] ?? digest
    return result.stdout
  }

  /** Queues jobs whose steps only run commands. */
  function queue(name: string, { 'runs-on': set, steps }: WorkflowJob): string {
    const message = scriptJob(name, steps)
    const [job] = stage().forge.control.queueJobs([{ labels: [set], name, message }])
    ids = [...ids, job?.id ?? '']
    return job?.id ?? ''
  }

  /** Queues a job for the set of the guide and waits until a runner has it. */
  async function work(seconds: number): Promise<void> {
    const id = queue('build', { 'runs-on': 'linux', steps: [{ run: `sleep ${seconds}` }] })
    await settle(
      async () => jobsOf(stage().forge, [id])[0]?.state,
      (state) => state === 'running',
    )
    await settle(
      () => stage().node.get(runnerSets, runnerNamespace, 'linux'),
      (set) => valueAt(set, 'status', 'busy') === 1,
    )
  }

  const finish = () =>
    settle(
      async () => fates(stage().forge, ids),
      (counts) => (counts['succeeded in 1 run'] ?? 0) === ids.length,
    )

  /** Waits until the set of the guide remembers a job of this name. The forge reports a job a moment after it has run. */
  const remember = (name: string) =>
    settle(
      () => stage().node.get(runnerSets, runnerNamespace, 'linux'),
      (set) => listAt(set, 'status', 'jobs').some((job) => textAt(job, 'name')?.includes(name)),
    )

  /** Applies a RunnerSet, or a part of its spec together with what it needs, and waits until its template is accepted. */
  async function applySet(document: object): Promise<void> {
    const { node, forge } = stage()
    const spec = 'spec' in document ? (document.spec as object) : {}
    const github = { url: forge.url, plainHttp: true, credentials: { secret: 'github' } }
    const name = 'from-the-guide'
    const all = { github, scale: { max: 1 }, ...spec }
    await node.kubernetes.create(
      runnerSets,
      object(runnerSetApiVersion, 'RunnerSet', { name, namespace: runnerNamespace }, { spec: all }),
    )
    const read = () => node.get(runnerSets, runnerNamespace, name)
    await settle(read, (set) => conditionOf(set, 'TemplateAccepted')?.startsWith('True') === true, 30_000)
    await node.kubernetes.delete(runnerSets, { name, namespace: runnerNamespace })
  }

  const apply = async ({ text }: GuideBlock): Promise<void> => {
    const document = parse(text) as object
    if (!('jobs' in document)) return await applySet(document)
    for (const [name, job] of Object.entries(document.jobs as Readonly<Record<string, WorkflowJob>>)) queue(name, job)
  }

  const before: Partial<Record<GuidePage, () => Promise<void>>> = {
    operate: async () => {
      await leaveSecret(stage(), runnerNamespace)
      await work(20)
    },
    'bitbucket-migration': () => stage().bitbucket.install(runnerNamespace),
    troubleshooting: async () => {
      await breakSet(stage(), runnerNamespace)
      await work(20)
    },
    upgrade: () => work(20),
    uninstall: () => work(5),
  }

  for (const page of guidePages) {
    describe(`${page}.md`, () => {
      beforeAll(async () => await before[page]?.())
      for (const step of page === 'troubleshooting' ? [] : guideSteps(page)) {
        const { block } = step
        const title = `line ${block.line}: ${block.text.split('\n')[0]}`
        if (step.does === 'apply') it(title, async () => await apply(block))
        else {
          it(title, async () => {
            // The page looks back at the workflow that it has pushed.
            if (page === 'first-set' && !isEndless(block.text)) await finish()
            const [, job] = /\bexplain job\/(\w+)/.exec(block.text) ?? []
            if (job !== undefined) await remember(job)
            const printed = await run(page, block.text)
            if (block.text.startsWith('dayfly import bitbucket-autoscaler'))
              stage().bitbucket.redirect(path.join(stage().shell.folder, 'sets'))
            if (step.output) expect(comparable(printed), printed).toBe(comparable(step.output.text))
          })
        }
      }
      if (page === 'troubleshooting') runSections()
      if (page === 'operate')
        it('leaves no Secret of a lost runner', async () =>
          expect(await lostSecret(stage(), runnerNamespace)).toBeUndefined())
      if (page === 'bitbucket-migration')
        it('leaves no runner at Bitbucket', async () => {
          await settle(
            async () => stage().bitbucket.left(),
            (left) => left.length === 0,
          )
        })
      it('leaves every job done, in one run', async () => void (await finish()))
      if (page === 'uninstall' || page === 'without-helm') {
        it('leaves nothing in the cluster and at the forge', async () => {
          expect(await leftAt(stage())).toEqual([])
        })
      }
    })
  }

  /** The sections repeat their commands. Each one runs for a set that works, and for one that does not. */
  function runSections(): void {
    const texts = guideSteps('troubleshooting').map(({ block }) => block.text)
    const [variables = '', ...others] = texts
    it('the variables', async () => {
      await run('troubleshooting', variables)
    })
    for (const set of ['linux', 'broken']) {
      for (const command of new Set(others.flatMap((text) => commandsOf(text)))) {
        it(`${set}: ${command}`, async () => {
          await run('troubleshooting', `export SET=${set}`)
          await run('troubleshooting', command, set === 'broken' || command.startsWith('dayfly doctor'))
        })
      }
    }
  }
}

type WorkflowJob = { readonly 'runs-on': string; readonly steps: readonly { readonly run: string }[] }
