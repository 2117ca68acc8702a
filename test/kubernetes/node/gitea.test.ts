// The main job at a real Gitea on a real node: a burst of jobs, and a cancelled one, run in real containers and leave nothing.
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whyNoGitea } from '../../../scripts/gitea/build.ts'
import { outsideAddress } from '../../../scripts/node/addresses.ts'
import { type Gitea, type GiteaJob, type Level, openGitea } from '../../gitea/open-gitea.ts'
import { object, secrets } from '../client-place.ts'
import { runnerImage } from './images.ts'
import { installed, ready } from './installation.ts'
import { leftoversIn, none } from './leftovers.ts'
import { nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { type PodWatch, watchPods } from './pod-watch.ts'

const file = nodeKubeconfig
const why = file === undefined ? whyNoNode : await whyNoGitea(new AbortController().signal)
if (file !== undefined && why === undefined) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('a real Gitea', (context) => context.skip(why)))

const organization: Level = '/orgs/acme'
const label = 'linux'
const jobCount = 10
const max = 5

function suite(kubeconfig: string): void {
  let gitea: Gitea
  let repository: Level
  // It opens first, so that it closes last: the end of the installation removes the registrations.
  beforeAll(async () => {
    // The namespace is private: only this node and its pods reach this server.
    gitea = await openGitea('server.HTTP_ADDR=0.0.0.0')
    await gitea.createOrganization('acme')
    repository = await gitea.createRepository('acme', 'app')
  })
  afterAll(() => gitea?.close())
  const stage = installed(kubeconfig, { name: 'gitea', latencyMs: 0 })

  let set: KubeObject
  let watch: PodWatch
  beforeAll(async () => {
    const { node, watched, createSet } = stage()
    const token = await gitea.createToken(gitea.server.admin.name, 'write:organization', 'read:repository')
    const stringData = { gitea_token: token }
    await node.kubernetes.create(secrets, object('v1', 'Secret', { name: 'gitea', namespace: watched }, { stringData }))
    watch = watchPods(node, watched)
    const url = `http://${outsideAddress}:${new URL(gitea.url).port}/acme`
    set = await createSet(giteaSet(watched, url))
    await ready(stage(), watched, label)
  })
  afterAll(() => watch?.close())

  const registered = async (prefix: string) =>
    listAt(await gitea.admin.must('GET', `${organization}/actions/runners`), 'runners')
      .map((runner) => textAt(runner, 'name') ?? '')
      .filter((name) => name.startsWith(prefix))

  const left = () => {
    const { node, watched } = stage()
    const prefix = runnerPrefix({ name: label, uid: set.metadata.uid ?? '' })
    return leftoversIn(node, watched, watch.uids, { registered }, prefix)
  }
  const nothingLeft = () => settle(left, (found) => JSON.stringify(found) === JSON.stringify(none))

  it('runs each job of a burst once, in a pod of its own, and leaves nothing', async () => {
    await gitea.queueJobs(repository, jobCount, label)
    const jobs = await settle(
      () => gitea.jobs(repository),
      (all) => all.every(({ status }) => status === 'completed'),
      240_000,
    )
    const logs = await Promise.all(jobs.map(({ id }) => gitea.jobLog(repository, id)))
    expect(jobs.map(fate), logs.join('\n')).toEqual(Array(jobCount).fill('success in attempt 1'))
    const printed = logs.map((log) => [...log.matchAll(/^\S+ number (\d+)\r?$/gm)].map(([, number]) => number))
    expect(printed.flat().sort()).toEqual([...Array(jobCount).keys()].map(String))
    expect(new Set(jobs.map((job) => job.runner_name)).size).toBe(jobCount)
    await nothingLeft()
  })

  it('ends the pod of a cancelled run and leaves nothing', async () => {
    const text = `on: workflow_dispatch\njobs:\n  long:\n    runs-on: ${label}\n    steps: [{ run: sleep 600 }]\n`
    await gitea.commitWorkflow(repository, 'long.yml', text)
    await gitea.dispatch(repository, 'long.yml')
    const long = async () => (await gitea.jobs(repository)).find(({ name }) => name === 'long')
    const running = await settle(long, (job) => job?.status === 'in_progress')
    const found = await left()
    expect(found.registrations).toContain(running?.runner_name)
    // The reader finds each kind of remains, so its empty result means something.
    expect(Object.entries(found).filter(([, names]) => names.length === 0)).toEqual([])
    await gitea.cancelRun(repository, running?.run_id ?? 0)
    await nothingLeft()
    expect((await long())?.conclusion).toBe('cancelled')
  })
}

function giteaSet(namespace: string, url: string): KubeObject {
  const template = { spec: { containers: [{ name: 'runner', image: runnerImage }] } }
  const gitea = { url, plainHttp: true, credentials: { secret: 'gitea' } }
  const spec = { gitea, scale: { max }, keepFailed: '0s', template }
  return object(runnerSetApiVersion, 'RunnerSet', { name: label, namespace }, { spec })
}

/** Describes the end of a job, for example `success in attempt 1`. */
function fate({ conclusion, run_attempt }: GiteaJob): string {
  return `${conclusion} in attempt ${run_attempt}`
}
