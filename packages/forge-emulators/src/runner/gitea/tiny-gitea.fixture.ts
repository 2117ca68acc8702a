// A minimal Gitea for tests of the runner: its runner service, with the errors and the loss of registrations of the real one. It records every call.
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import { isJsonObject, type JsonObject, listAt, textAt } from '@dayfly/kit/read-json'
import type { Row } from './pending-rows.ts'
import type { Method } from './rpc.ts'

export type TinyTask = {
  readonly id: string
  readonly message: JsonObject
  runner: string | undefined
  readonly rows: Row[]
  isArchived: boolean
  /** The last state that the runner reported. */
  state: JsonObject
  outputs: JsonObject
  result: string
}

export type TinyCall = { readonly method: string; readonly body: JsonObject }

/** Another answer, or the loss of the answer to a call that was carried out: any call, or that with the result of the task. */
type Spoil = Answer | 'lose' | 'lose-result' | 'refuse'

export interface TinyGitea {
  readonly origin: string
  readonly calls: readonly TinyCall[]
  /** Registers a runner, and returns the contents of its state file. */
  register(name: string, more?: object): string
  /** Queues a task for the next runner that asks. */
  queue(workflow: string, more?: object): TinyTask
  /** Ends a task, as a cancellation or a timeout does. With `keepRunner`, the runner learns it from the next answer. */
  end(task: TinyTask, result: string, keepRunner?: boolean): void
  remove(name: string): void
  /** Sets what happens to the next calls of a method, in their order. */
  spoil(method: Method, ...ways: readonly Spoil[]): void
  /** Resolves when the condition holds, which is looked at after each call. */
  until(condition: () => boolean): Promise<void>
  close(): Promise<void>
}

export const lost: Answer = { status: 200, headers: {}, body: { kind: 'cut', text: '' } }

export async function tinyGitea(): Promise<TinyGitea> {
  const runners = new Map<string, string>()
  const tasks: TinyTask[] = []
  const calls: TinyCall[] = []
  const spoiled: { readonly method: string; readonly way: Spoil }[] = []
  const watchers = new Set<() => void>()

  const methods: Readonly<Record<string, (body: JsonObject, runner: string) => Answer>> = {
    Declare: (body, runner) => jsonAnswer(200, { runner: { uuid: runner, ...body } }),
    FetchTask: (_, runner) => {
      const task = tasks.find((each) => each.runner === undefined)
      if (!task || tasks.some((each) => each.runner === runner)) return jsonAnswer(200, { tasksVersion: '7' })
      task.runner = runner
      return jsonAnswer(200, { task: task.message, tasksVersion: '7' })
    },
    UpdateLog: (body, runner) => {
      const task = tasks.find(({ id }) => id === body['taskId'])
      if (task?.runner !== runner) return failed('Internal desc = invalid runner for task')
      const [index, rows] = [Number(body['index']), listAt(body, 'rows') as Row[]]
      const { length } = task.rows
      if (index > length || index + rows.length <= length) return jsonAnswer(200, { ackIndex: String(length) })
      if (task.isArchived) return failed('AlreadyExists desc = log file has been archived')
      task.rows.push(...rows.slice(length - index))
      task.isArchived = body['noMore'] === true
      return jsonAnswer(200, { ackIndex: String(task.rows.length) })
    },
    UpdateTask: (body, runner) => {
      const task = tasks.find(({ id }) => id === textAt(body, 'state', 'id'))
      if (task?.runner !== runner) return failed('Internal desc = update task: invalid runner for task')
      const state = isJsonObject(body['state']) ? body['state'] : {}
      if (task.result === '') {
        task.state = state
        task.outputs = isJsonObject(body['outputs']) ? body['outputs'] : {}
        task.result = textAt(state, 'result') ?? ''
        if (task.result !== '') runners.delete(runner)
      }
      return jsonAnswer(200, { state: { id: task.id, ...(task.result && { result: task.result }) } })
    },
  }

  const server = await httpServer(async (request) => {
    const method = request.path.split('/').at(-1) ?? ''
    const body = request.body.kind === 'json' && isJsonObject(request.body.value) ? request.body.value : {}
    calls.push({ method, body })
    queueMicrotask(() => {
      for (const look of [...watchers]) look()
    })
    const isResult = textAt(body, 'state', 'result') !== undefined
    const planned = spoiled.findIndex((each) => each.method === method && (each.way !== 'lose-result' || isResult))
    const [spoil] = planned < 0 ? [] : spoiled.splice(planned, 1)
    if (typeof spoil?.way === 'object') return spoil.way
    const runner = request.headers['x-runner-uuid'] ?? ''
    const isKnown = runners.get(runner) === request.headers['x-runner-token']
    if (!isKnown || spoil?.way === 'refuse') return failed('Unauthenticated desc = unregistered runner')
    const answer = methods[method]?.(body, runner) ?? jsonAnswer(404, {})
    return spoil?.way === 'lose' || spoil?.way === 'lose-result' ? lost : answer
  })

  return {
    origin: server.origin,
    calls,
    register: (name, more = {}) => {
      runners.set(`uuid-${name}`, `token-${name}`)
      const own = { uuid: `uuid-${name}`, name, token: `token-${name}`, address: server.origin }
      return JSON.stringify({ id: 1, ...own, labels: ['linux:host', 'x64'], ephemeral: true, ...more })
    },
    queue: (workflow, more = {}) => {
      const id = String(tasks.length + 1)
      const workflowPayload = Buffer.from(workflow).toString('base64')
      const message = { id, workflowPayload, context: { repository: 'o/r', event_name: 'push' }, ...more }
      const task = { id, message, runner: undefined, rows: [], isArchived: false, state: {}, outputs: {}, result: '' }
      tasks.push(task)
      return task
    },
    end: (task, result, keepRunner = false) => {
      task.result = result
      if (!keepRunner && task.runner !== undefined) runners.delete(task.runner)
    },
    remove: (name) => void runners.delete(`uuid-${name}`),
    spoil: (method, ...ways) => void spoiled.push(...ways.map((way) => ({ method, way }))),
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    close: () => server.close(),
  }
}

/** Gitea writes the status only into the sentence. */
function failed(status: string): Answer {
  return jsonAnswer(500, { code: 'unknown', message: `rpc error: code = ${status}` })
}
