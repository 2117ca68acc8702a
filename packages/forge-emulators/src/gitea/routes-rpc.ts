// The runner protocol: unary calls with JSON. Errors are HTTP 500 with a sentence, also for a runner that is not registered.
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import type { z } from 'zod'
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
  taskStateSchema,
} from './rpc-messages.ts'
import { createRunner, hearRunner, raiseTasksVersion } from './runners.ts'
import { finishTask } from './runs.ts'
import { settle } from './settle.ts'
import type { Runner, Task } from './state.ts'
import { taskMessage } from './task-message.ts'
import { pickTask } from './tasks.ts'

type Method = (emulation: Emulation, runner: Runner, call: Call) => object

const methods: Readonly<Record<string, Method>> = {
  Declare: declare,
  FetchTask: fetchTask,
  UpdateTask: updateTask,
  UpdateLog: updateLog,
}

export function rpcRoutes(emulation: Emulation): readonly Route[] {
  const run = (call: Call): Answer => {
    emulation.origin = call.origin
    const { method = '' } = call.params
    const serve = methods[method]
    if (!serve && method !== 'Register') throw noRoute()
    checkType(call)
    if (!serve) return jsonAnswer(200, register(emulation, call))
    const runner = authorizeRunner(emulation, call)
    hearRunner(emulation, runner, method === 'UpdateTask' || method === 'UpdateLog')
    const answer = jsonAnswer(200, serve(emulation, runner, call))
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
  const runner = createRunner(emulation, token.place, body)
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
function declare(_: Emulation, runner: Runner, call: Call): object {
  const { version, labels } = read(declareSchema, call)
  Object.assign(runner, { version, labels, labelSet: new Set(labels) })
  return { runner: messageOf(runnerMessage(runner)) }
}

function runnerMessage({ id, uuid, name, version, labels }: Runner): Record<string, unknown> {
  return { id: String(id), uuid, name, version, labels }
}

/** A runner that already knows the current version gets no task. */
function fetchTask(emulation: Emulation, runner: Runner, call: Call): object {
  const { tasksVersion: known } = read(fetchSchema, call)
  const { place } = runner
  if (place.tasksVersion === 0) raiseTasksVersion(emulation, place)
  const { tasksVersion } = place
  const task = known === tasksVersion ? undefined : pickTask(emulation, runner)
  return messageOf({ task: task && taskMessage(emulation, task, call.origin), tasksVersion: String(tasksVersion) })
}

const outputLimits = { key: 255, bytes: 1024 * 1024 } as const

function updateTask(emulation: Emulation, runner: Runner, call: Call): object {
  const { state: report, outputs } = read(taskStateSchema, call)
  const task = emulation.state.tasks.get(report.id)
  if (!task) throw rpcStatus('Internal', 'update task: resource does not exist')
  if (task.runner !== runner) throw rpcStatus('Internal', 'update task: invalid runner for task')
  const isOver = task.status !== 'running'
  if (!isOver) takeReport(emulation, task, report)
  for (const [key, value] of Object.entries(outputs)) {
    const fits = key.length <= outputLimits.key && Buffer.byteLength(value) <= outputLimits.bytes
    if (fits && !task.outputs.has(key)) task.outputs.set(key, value)
  }
  if (report.result !== undefined && !isOver) finishTask(emulation, task, report.result, report.stoppedAt)
  const result = task.status === 'running' ? undefined : resultName(task.status)
  return messageOf({ state: messageOf({ id: String(report.id), result }), sentOutputs: [...task.outputs.keys()] })
}

function takeReport(emulation: Emulation, task: Task, { steps }: z.output<typeof taskStateSchema>['state']): void {
  task.updatedAt = stamp(emulation)
  for (const { id, ...step } of steps) Object.assign(task.steps[id] ?? {}, step)
}

/** Appends the rows after the acknowledged ones. */
function updateLog(emulation: Emulation, runner: Runner, call: Call): object {
  const { taskId, index, rows, noMore } = read(logSchema, call)
  const task = emulation.state.tasks.get(taskId)
  if (!task) throw rpcStatus('Internal', `get task: task with id ${taskId}: resource does not exist`)
  if (task.runner !== runner) throw rpcStatus('Internal', 'invalid runner for task')
  const isNothingNew = rows.length === 0 || index > task.rows || rows.length + index <= task.rows
  if (isNothingNew) return messageOf({ ackIndex: String(task.rows) })
  if (task.isArchived) throw rpcStatus('AlreadyExists', 'log file has been archived')
  const fresh = rows.slice(task.rows - index)
  keepLines(
    task.log,
    fresh.map(({ time, content }) => `${time} ${content}`),
  )
  task.rows += fresh.length
  task.updatedAt = stamp(emulation)
  if (noMore) task.isArchived = true
  return messageOf({ ackIndex: String(task.rows) })
}

function read<Out>(schema: z.ZodType<Out>, call: Call): Out {
  const { body } = call.request
  const result = body.kind === 'text' ? undefined : schema.safeParse(call.body ?? {})
  if (result?.success) return result.data
  const why = result?.error.issues[0]?.message ?? 'syntax error'
  throw new Refusal(connectError(400, 'invalid_argument', `unmarshal message: ${why}`))
}
