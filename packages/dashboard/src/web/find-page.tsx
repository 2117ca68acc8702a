// "Where is my job?": the answers for a text, and the permanent page of one job.
import type { Found, FoundJob } from '../model/details.ts'
import { Answered, useAnswer } from './answer.tsx'
import { Ago, Badge, type Mood, Note, Page, Since } from './parts.tsx'
import { runnerAddress, setAddress } from './route.ts'
import { OutsideLink } from './waiting.tsx'

export function FindPage({ query }: { readonly query: string }) {
  const answer = useAnswer<Found>(query === '' ? null : findPath(query), 10_000)
  return (
    <Page title="Where is my job?">
      {query === '' ? (
        <Note>Enter the address of a run or job, the name of a job, or a branch in the field above.</Note>
      ) : (
        <Answered of={answer.value}>{(found) => <Answers found={found} />}</Answered>
      )}
    </Page>
  )
}

/** The server reads the permanent address of a job like any other text. */
export function JobPage({ address, id }: { readonly address: string; readonly id: string }) {
  const answer = useAnswer<Found>(findPath(address), 5_000)
  return (
    <Page title={`Job ${id}`}>
      <Answered of={answer.value}>
        {(found) => {
          const job = found.jobs.find((one) => one.address === address)
          return job === undefined ? (
            <Note>This job is no longer known here. {found.next ?? 'The history may begin after it.'}</Note>
          ) : (
            <JobCard found={job} />
          )
        }}
      </Answered>
    </Page>
  )
}

function Answers({ found }: { readonly found: Found }) {
  return (
    <>
      <p class="soft">{found.read}</p>
      {found.jobs.length === 0 ? (
        <div class="reason calm">
          <p class="reason-sentence">No job was found.</p>
          {found.next === null ? null : <p>{found.next}</p>}
        </div>
      ) : (
        <div class="answers">
          {found.jobs.map((job) => (
            <JobCard key={job.address} found={job} />
          ))}
        </div>
      )}
    </>
  )
}

const moods: Readonly<Record<FoundJob['is'], Mood>> = { waiting: 'warning', running: 'ok', ended: 'calm' }
const states: Readonly<Record<FoundJob['is'], string>> = { waiting: 'Waits', running: 'Runs', ended: 'Ended' }

function JobCard({ found }: { readonly found: FoundJob }) {
  const { job, life, waiting } = found
  const set = life?.set ?? waiting?.set
  return (
    <article class="card answer">
      <h2>
        <a href={found.address}>{job.name}</a>
      </h2>
      <p class="line">
        <Badge mood={moods[found.is]}>{states[found.is]}</Badge>{' '}
        {waiting === null ? life === null ? null : <Ago at={found.at} /> : <Since at={waiting.queuedAt} />}
      </p>
      <p class="answer-sentence">{found.sentence}</p>
      <p class="soft">{[job.repository, job.workflow, job.ref].filter(Boolean).join(' · ')}</p>
      <ul class="links">
        {life === null ? null : (
          <li>
            <a href={runnerAddress(life.id)}>Runner {life.runner}</a>
          </li>
        )}
        {set === undefined ? null : (
          <li>
            <a href={setAddress(set)}>Set {set}</a>
          </li>
        )}
        {job.url === null ? null : (
          <li>
            <OutsideLink url={job.url} text="The run at the forge" />
          </li>
        )}
      </ul>
    </article>
  )
}

function findPath(query: string): string {
  return `api/find?${new URLSearchParams({ q: query })}`
}
