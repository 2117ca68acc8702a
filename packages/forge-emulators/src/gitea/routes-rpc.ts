// The runner protocol: unary calls with JSON. Errors are HTTP 500 with a sentence, also for a runner that is not registered.
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import type * as z from 'zod'
import { keepLines } from '../server/kept-log.ts'
import { Refusal } from '../server/refusal.ts'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import type { Emulation } from './emulation.ts'
import { stamp } from './emulation.ts'
import { connectError, noRoute, rpcError, rpcStatus } from './refusal.ts'
import {
  declareSchema,
  fetchSchema,
  logSchema,
  messageOf,
  registerSchema,
  resultName,
  type TaskState,
  taskStateSchema,
} from './rpc-messages.ts'
import { createRunner, hearRunner, raiseTasksVersion } from './runners.ts'
import { finishTask } from './runs.ts'
import { settle } from './settle.ts'
import type { Runner, Task } from './state.ts'
import { taskMessage } from './task-message.ts'
import { hasEnded, pickTask } from './tasks.ts'
import { notifyHooks } from './webhooks.ts'

type Serve = (emulation: Emulation, call: Call) => object

const methods: Readonly<Record<string, Serve>> = {
  Register: register,
  Declare: ofRunner(declareSchema, declare),
  FetchTask: ofRunner(fetchSchema, fetchTask),
  UpdateTask: ofRunner(taskStateSchema, updateTask, true),
  UpdateLog: ofRunner(logSchema, updateLog, true),
}

export function rpcRoutes(emulation: Emulation): readonly Route[] {
  const run = (call: Call): Answer => {
    const serve = methods[call.params['method'] ?? '']
    if (!serve) throw noRoute()
    checkType(call)
    const answer = jsonAnswer(200, serve(emulation, call))
    settle(emulation)
    return answer
  }
  return [
    { method: 'POST', pattern: '/api/actions/runner.v1.RunnerService/:method', run },
    {
      method: 'POST',
      pattern: '/api/actions/ping.v1.PingService/Ping',
      run: (call) => {
        checkType(call)
        return jsonAnswer(200, { data: `Hello, ${Object(call.body).data ?? ''}!` })
      },
    },
  ]
}

type Read<Message> = { readonly message: Message; readonly origin: string }

/** Returns a method that only a registered runner may call. The message is read before the credential. @param isReport whether it is about a task */
function ofRunner<Message>(
  schema: z.ZodType<Message>,
  serve: (emulation: Emulation, runner: Runner, read: Read<Message>) => object,
  isReport = false,
): Serve {
  return (emulation, call) => {
    const message = read(schema, call)
    const runner = authorizeRunner(emulation, call)
    hearRunner(emulation, runner, isReport)
    emulation.origin = call.origin
    return serve(emulation, runner, { message, origin: call.origin })
  }
}

/** Only JSON is served here. A real server also accepts protobuf. */
function checkType({ request }: Call): void {
  const type = request.headers['content-type'] ?? 'application/json'
  if (/^application\/json\b/.test(type)) return
  throw new Refusal({ ...emptyAnswer(415), headers: { 'accept-post': 'application/json' } })
}

function register(emulation: Emulation, call: Call): object {
  const { token: value, ...body } = read(registerSchema, call)
  if (value === '' || body.name === '') throw rpcError('missing runner token, name')
  const token = emulation.state.tokens.get(value)
  if (!token) throw rpcError('runner registration token not found')
  if (!token.isActive) {
    throw rpcError('runner registration token has been invalidated, please use the latest one')
  }
  const cancels = body.capabilities.includes('cancelling')
  const runner = createRunner(emulation, token.place, { ...body, cancels })
  return { runner: messageOf({ ...runnerMessage(runner), token: runner.token, ephemeral: runner.ephemeral }) }
}

function authorizeRunner({ state }: Emulation, { request }: Call): Runner {
  const runner = state.runnersByUuid.get(request.headers['x-runner-uuid'] ?? '')
  if (!runner || runner.token !== request.headers['x-runner-token']) {
    throw rpcStatus('Unauthenticated', 'unregistered runner')
  }
  return runner
}

/** The labels of a declaration replace those of the registration. */
function declare(_: Emulation, runner: Runner, { message }: Read<z.output<typeof declareSchema>>): object {
  const { version, labels, capabilities } = message
  const cancels = capabilities.includes('cancelling')
  Object.assign(runner, { version, labels, labelSet: new Set(labels), cancels })
  return { runner: messageOf(runnerMessage(runner)) }
}

function runnerMessage({ id, uuid, name, version, labels }: Runner): Record<string, unknown> {
  return { id: String(id), uuid, name, version, labels }
}

/** A runner that already knows the current version gets no task. */
function fetchTask(
  emulation: Emulation,
  runner: Runner,
  { message, origin }: Read<z.output<typeof fetchSchema>>,
): object {
  const { place } = runner
  if (place.tasksVersion === 0) raiseTasksVersion(emulation, place)
  const { tasksVersion } = place
  const task = message.tasksVersion === tasksVersion ? undefined : pickTask(emulation, runner)
  return messageOf({ task: task && taskMessage(emulation, task, origin), tasksVersion: String(tasksVersion) })
}

const outputLimits = { key: 255, bytes: 1024 * 1024 } as const

function updateTask(emulation: Emulation, runner: Runner, { message }: Read<z.output<typeof taskStateSchema>>): object {
  const { state: report, outputs } = message
  const task = emulation.state.tasks.get(report.id)
  if (!task) throw rpcStatus('Internal', 'update task: resource does not exist')
  if (task.runner !== runner) throw rpcStatus('Internal', 'update task: invalid runner for task')
  const isOver = hasEnded(task)
  if (!isOver) takeReport(emulation, task, report)
  for (const [key, value] of Object.entries(outputs)) {
    const fits = key.length <= outputLimits.key && Buffer.byteLength(value) <= outputLimits.bytes
    if (fits && !task.outputs.has(key)) task.outputs.set(key, value)
  }
  if (report.result !== undefined && !isOver) finishTask(emulation, task, report.result, report.stoppedAt)
  // The server sends the webhook of an ended job again.
  if (isOver) notifyHooks(emulation, task.job)
  const result = task.status === 'running' ? undefined : resultName(task.status)
  return messageOf({ state: messageOf({ id: String(report.id), result }), sentOutputs: [...task.outputs.keys()] })
}

function takeReport(emulation: Emulation, task: Task, { steps }: TaskState): void {
  task.updatedAt = stamp(emulation)
  for (const { id, ...step } of steps) Object.assign(task.steps[id] ?? {}, step)
}

/** Appends the rows after the acknowledged ones. */
function updateLog(emulation: Emulation, runner: Runner, { message }: Read<z.output<typeof logSchema>>): object {
  const { taskId, index, rows, noMore } = message
  const task = emulation.state.tasks.get(taskId)
  if (!task) throw rpcStatus('Internal', `get task: task with id ${taskId}: resource does not exist`)
  if (task.runner !== runner) throw rpcStatus('Internal', 'invalid runner for task')
  const isNothingNew = rows.length === 0 || index > task.rows || rows.length + index <= task.rows
  if (isNothingNew) return messageOf({ ackIndex: String(task.rows) })
  if (task.isArchived) throw rpcStatus('AlreadyExists', 'log file has been archived')
  const fresh = rows.slice(task.rows - index)
  keepLines(
    task.log,
    fresh.map(({ time, content }) => `${logTime(time)} ${content}`),
  )
  task.rows += fresh.length
  task.updatedAt = stamp(emulation)
  if (noMore) task.isArchived = true
  return messageOf({ ackIndex: String(task.rows) })
}

/** The log has times with seven digits after the seconds. */
function logTime(time: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(time) ?? []
  const seconds = new Date(Date.parse(time)).toISOString().slice(0, 19)
  return `${seconds}.${fraction.slice(0, 7).padEnd(7, '0')}Z`
}

function read<Message>(schema: z.ZodType<Message>, call: Call): Message {
  const { body } = call.request
  if (body.kind === 'none') throw unreadable('zero-length payload is not a valid JSON object')
  const result = body.kind === 'json' ? schema.safeParse(body.value) : undefined
  if (result?.success) return result.data
  const why = result?.error.issues[0]?.message ?? 'syntax error'
  throw unreadable(`unmarshal into the request: proto: ${why}`)
}

function unreadable(why: string): Refusal {
  return new Refusal(connectError(400, 'invalid_argument', `unmarshal message: ${why}`))
}
