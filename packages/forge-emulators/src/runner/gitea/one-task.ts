// The life of an ephemeral Gitea runner: it declares itself, asks for a task in an interval, runs one, and ends.
import { randomInteger } from '@dayfly/kit/random'
import { textAt } from '@dayfly/kit/read-json'
import { connect } from '../connection.ts'
import { pause } from '../retry.ts'
import { type RunnerHost, waitLimits } from '../session.ts'
import type { TaskRunnerCredential } from './credential.ts'
import { readTask, type Task } from './read-task.ts'
import { createRpc, type RpcAnswer } from './rpc.ts'
import { serveTask, type TaskLink } from './serve-task.ts'

/** Gitea's own runner ends with 0 after its task, and with another code if it cannot declare itself. */
const exitCodes = { ended: 0, failed: 1 } as const

/** The version that the server keeps for this runner. */
const version = 'dayfly'

/** The interval in which an idle runner asks, in milliseconds: that of Gitea's own runner. */
const askEvery = { least: 2_000, most: 5_000 } as const
/** The time for a response with a task. It is below the default grace period of a pod. */
const askMs = 10_000

/** Runs the runner over HTTP, and resolves with its exit code. */
export async function runOneTask(credential: TaskRunnerCredential, host: RunnerHost): Promise<number> {
  const own = { 'x-runner-uuid': credential.uuid, 'x-runner-token': credential.token }
  const connection = connect(credential.address, own)
  try {
    return await liveOnce({ credential, rpc: createRpc(connection) }, host)
  } finally {
    connection.close()
  }
}

/** Resolves with the exit code after one task, when the server refuses the runner or stays unreachable, or when this program must end. Never rejects for the server's behaviour. */
export async function liveOnce(link: TaskLink, host: RunnerHost): Promise<number> {
  const { credential } = link
  const declared = await declare(link, host)
  if (declared !== undefined) return declared
  print(host, `${credential.name} waits for a task with the labels ${credential.labels.join(', ')}.`)
  const found = await takeTask(link, host)
  if (found.is === 'ended') return found.code
  const { task } = found
  const [repository, server, actor] = ['repository', 'server_url', 'actor'].map((name) => {
    return textAt(task.context, name) ?? ''
  })
  // Others find the job of a runner by this line, which Gitea's own runner prints.
  print(host, `task ${task.id} repo is ${repository} ${server} ${actor}`)
  const delivery = await serveTask(task, link, host)
  print(host, deliveries[delivery])
  return delivery === 'undelivered' ? exitCodes.failed : exitCodes.ended
}

const deliveries = {
  delivered: 'The task has ended.',
  over: 'The server has ended the task, so the runner stopped the job.',
  undelivered: 'The result of the task could not be delivered: the server is unreachable.',
} as const

/** Declares the labels. Resolves with an exit code if the runner must end. */
async function declare({ credential, rpc }: TaskLink, host: RunnerHost): Promise<number | undefined> {
  const giveUpAt = host.clock.now() + waitLimits.unreachableMs
  for (;;) {
    const answer = await rpc('Declare', { version, labels: credential.labels })
    if (answer.is === 'answered') return undefined
    if (answer.is === 'unregistered') return refuse(answer, host)
    print(host, `The runner cannot declare itself: ${answer.why}.`)
    if (host.clock.now() >= giveUpAt || !(await pause(interval(host), host))) return exitCodes.failed
  }
}

type Found = { readonly is: 'task'; readonly task: Task } | { readonly is: 'ended'; readonly code: number }

/** Asks until there is a task. The server gives a task once: if its answer is lost, the server ends the task and deletes the runner after minutes. */
async function takeTask({ rpc }: TaskLink, host: RunnerHost): Promise<Found> {
  let heardAt = host.clock.now()
  let mayHaveTask = false
  while (host.stopper.reason === undefined) {
    // A signal does not abort this call: the server may have given the runner a task, and no other runner would get it.
    // The version 0 makes the server always look for a task.
    const answer = await rpc('FetchTask', { tasksVersion: '0' }, { timeoutMs: askMs })
    if (answer.is === 'unregistered') {
      refuse(answer, host)
      if (mayHaveTask) print(host, 'An answer of the server was lost before. A task in it has failed.')
      return { is: 'ended', code: mayHaveTask ? exitCodes.failed : exitCodes.ended }
    }
    if (answer.is === 'answered') {
      heardAt = host.clock.now()
      const { task: value } = answer.value
      const task = readTask(value)
      if (task) return { is: 'task', task }
      if (value !== undefined) return invalid(host)
    } else {
      print(host, `The runner got no answer: ${answer.why}.`)
      mayHaveTask ||= answer.is === 'lost'
      if (host.clock.now() - heardAt >= waitLimits.unreachableMs) return { is: 'ended', code: exitCodes.failed }
    }
    await pause(interval(host), host)
  }
  return { is: 'ended', code: exitCodes.ended }
}

function invalid(host: RunnerHost): Found {
  print(host, 'The task is not valid, so it fails when the server stops waiting for it.')
  return { is: 'ended', code: exitCodes.failed }
}

function refuse({ why }: Extract<RpcAnswer, { readonly is: 'unregistered' }>, host: RunnerHost): number {
  print(
    host,
    `The server does not know this runner: ${why}. It was deleted, or its task has ended. Register a new runner.`,
  )
  return exitCodes.failed
}

function interval({ random }: RunnerHost): number {
  return randomInteger(random, askEvery.least, askEvery.most)
}

/** Prints a line in the form of the real runner's log. */
function print({ clock, print: write }: RunnerHost, text: string): void {
  write(`time="${new Date(clock.now()).toISOString()}" level=info msg=${JSON.stringify(text)}\n`)
}
