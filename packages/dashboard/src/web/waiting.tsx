// The demand that waits: by set with reason, next step and next start, and the jobs themselves.
import type { WaitingJob } from '../model/life.ts'
import { faultsOf, type SetNow, type Totals } from '../model/set-now.ts'
import { count, counted } from './format.ts'
import { GuideLink, In, Note, Section, Since } from './parts.tsx'
import { setAddress } from './route.ts'
import { ShowMore } from './show-more.tsx'
import { useStore } from './store.ts'

export function Waiting() {
  const { all, head } = useStore()
  const waiting = [...all('sets').values()].filter(hasWaiting).sort(byWait)
  const totals = head.value?.totals
  return (
    <Section id="waiting" title="What waits">
      {waiting.length === 0 ? (
        <Note>{emptySentence(totals)}</Note>
      ) : (
        <ShowMore items={waiting} first={8} class="cards">
          {(set) => <WaitingSet key={set.id} set={set} />}
        </ShowMore>
      )}
      <WaitingJobs />
      <UnservedJobs />
    </Section>
  )
}

function WaitingSet({ set }: { readonly set: SetNow }) {
  const [problem] = faultsOf(set)
  return (
    <article class={problem ? 'card warning' : 'card'}>
      <h3>
        <a href={setAddress(set.id)}>{set.id}</a>
      </h3>
      <p class="card-number">
        <strong>{count(set.waiting)}</strong> {set.waiting === 1 ? 'job waits' : 'jobs wait'}
        {set.waitingSince === null ? null : (
          <>
            {' '}
            for <Since at={set.waitingSince} />
          </>
        )}
      </p>
      <p>{set.why ?? 'Runners start now. Nothing holds them up.'}</p>
      {problem === undefined ? null : (
        <p>
          <strong>Next: </strong>
          {problem.next} <GuideLink reason={problem.reason} />
        </p>
      )}
      {set.nextStartAt === null ? null : (
        <p class="soft">
          Next start: <In at={set.nextStartAt} />
        </p>
      )}
    </article>
  )
}

function WaitingJobs() {
  const jobs = [...useStore().all('jobs').values()].sort((a, b) => a.queuedAt - b.queuedAt)
  if (jobs.length === 0) return null
  return (
    <>
      <h3>{counted(jobs.length, 'job')} in the queue</h3>
      <div class="table-box">
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Job</th>
              <th scope="col">Repository</th>
              <th scope="col">Branch</th>
              <th scope="col">Set</th>
              <th scope="col" class="number">
                Waits
              </th>
            </tr>
          </thead>
          <ShowMore items={jobs} first={10} as="tbody" columns={5}>
            {(job) => <JobRow key={job.id} job={job} />}
          </ShowMore>
        </table>
      </div>
    </>
  )
}

/** The jobs that no set can have. Only a forge that shows its whole queue has them. */
function UnservedJobs() {
  const all = [...useStore().all('sets').values()].flatMap(({ unserved }) => unserved ?? [])
  const total = all.reduce((sum, one) => sum + one.count, 0)
  if (total === 0) return null
  return (
    <>
      <h3>
        {counted(total, 'job')} {total === 1 ? 'waits' : 'wait'} for labels that no set has
      </h3>
      <ul class="lines">
        {all
          .flatMap(({ jobs }) => jobs)
          .map((job) => (
            <li key={job.id}>{job.sentence}</li>
          ))}
      </ul>
    </>
  )
}

function JobRow({ job }: { readonly job: WaitingJob }) {
  return (
    <tr>
      <th scope="row">{job.url === null ? job.name : <OutsideLink url={job.url} text={job.name} />}</th>
      <td data-name="Repository">{job.repository || '?'}</td>
      <td data-name="Branch">{job.ref ?? '?'}</td>
      <td data-name="Set">
        <a href={setAddress(job.set)}>{job.set}</a>
      </td>
      <td data-name="Waits" class="number">
        <Since at={job.queuedAt} />
      </td>
    </tr>
  )
}

/** Only addresses of the web become links: a forge could send any text. */
export function OutsideLink({ url, text }: { readonly url: string; readonly text: string }) {
  if (!/^https?:\/\//.test(url)) return <>{text}</>
  return (
    <a href={url} rel="noreferrer">
      {text}
    </a>
  )
}

function emptySentence({ waiting, running, invalid }: Partial<Totals> = {}): string {
  if (waiting === undefined || waiting === null) return 'It is unknown whether jobs wait. Nothing is counted as 0.'
  if (waiting > 0) return `${counted(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'} for a runner.`
  if (invalid) return 'No job is known to wait. Jobs for an invalid set are not known.'
  if (running === undefined || running === null) return 'No job waits.'
  return running === 0 ? 'No job waits or runs.' : `No job waits. ${count(running)} ${running === 1 ? 'runs' : 'run'}.`
}

function hasWaiting(set: SetNow): boolean {
  return (set.waiting ?? 0) > 0
}

/** The longest wait comes first. */
function byWait(a: SetNow, b: SetNow): number {
  return (a.waitingSince ?? Number.MAX_VALUE) - (b.waitingSince ?? Number.MAX_VALUE) || (a.id < b.id ? -1 : 1)
}
