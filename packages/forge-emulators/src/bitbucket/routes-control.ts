// The control API under `/_emulator`, for tests and for users without a workspace.
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import { done, found, parsed, refuse, serverRoutes } from '../server/control-routes.ts'
import type { Call, Route } from '../server/router.ts'
import { knobChangeSchema } from './config.ts'
import type { Control } from './control.ts'
import type { Emulation } from './emulation.ts'
import { pipelineRoutes, pipelineView } from './routes-pipelines.ts'
import type { Step } from './state.ts'

export function controlRoutes(emulation: Emulation, control: Control): readonly Route[] {
  const { stub } = control
  const runner = '/_emulator/runners/:runner'
  const nameOf = (call: Call) => call.params['runner'] ?? ''
  return [
    ...serverRoutes(control, emulation.clock),
    ...pipelineRoutes(emulation, control),
    { method: 'GET', pattern: '/_emulator/state', run: () => jsonAnswer(200, dumpState(emulation, control)) },
    {
      method: 'PUT',
      pattern: '/_emulator/knobs',
      run: (call) => done(() => control.knobs(parsed(knobChangeSchema, call))),
    },
    { method: 'POST', pattern: '/_emulator/steps', run: (call) => queue(emulation, control, call) },
    { method: 'POST', pattern: `${runner}/online`, run: (call) => found(stub.online(nameOf(call))) },
    { method: 'POST', pattern: `${runner}/vanish`, run: (call) => found(stub.vanish(nameOf(call))) },
    { method: 'POST', pattern: `${runner}/unhealthy`, run: (call) => found(stub.unhealthy(nameOf(call))) },
    {
      method: 'POST',
      pattern: `${runner}/finish`,
      run: (call) => found(stub.finish(nameOf(call), parsed(finishSchema, call).result)),
    },
  ]
}

const results = z.enum(['SUCCESSFUL', 'FAILED', 'ERROR', 'STOPPED'])
const finishSchema = z.strictObject({ result: results.default('SUCCESSFUL') })
const stepsMax = 10_000

const commands = z.array(z.string().max(65_536)).min(1).max(100)

const stepsSchema = z.strictObject({
  count: z.number().int().min(1).max(stepsMax).default(1),
  repository: z.string().min(1).max(255).optional(),
  labels: z.array(z.string().min(1).max(255)).max(50).default(['self.hosted', 'linux']),
  durationMs: z.number().int().nonnegative().max(1_000_000_000).optional(),
  result: results.optional(),
  name: z.string().min(1).max(255).optional(),
  script: commands.optional(),
  afterScript: commands.optional(),
  maxTimeMinutes: z.number().positive().max(720).optional(),
})

function queue({ state }: Emulation, control: Control, call: Call): Answer {
  const { count, repository = state.workspaces[0]?.repositories[0]?.slug ?? '', ...rest } = parsed(stepsSchema, call)
  const isKnown = state.workspaces.some(({ repositories }) => repositories.some(({ slug }) => slug === repository))
  if (!isKnown) return refuse(404, 'The repository does not exist.')
  const uuids = control.queueSteps(Array.from({ length: count }, () => ({ ...rest, repository })))
  return jsonAnswer(
    201,
    uuids.map((uuid) => ({ uuid, state: control.step(uuid)?.state, reason: control.step(uuid)?.reason })),
  )
}

/** Returns the whole state as JSON. It contains no secret. */
function dumpState({ clock, knobs, state }: Emulation, control: Control): object {
  return {
    now: new Date(clock.now()).toISOString(),
    knobs,
    workspaces: state.workspaces.map(({ uuid, slug, repositories }) => ({
      uuid: `{${uuid}}`,
      slug,
      repositories: repositories.map((place) => ({ uuid: `{${place.uuid}}`, slug: place.slug })),
    })),
    runners: control.runners(),
    pipelines: [...state.pipelines.values()].map(pipelineView),
    steps: [...state.steps.values()].map(dumpStep),
  }
}

function dumpStep({ uuid, spec, state, runner, result, reason, times }: Step): object {
  const { name, repository, labels } = spec
  return { uuid, name, repository, labels, state, runner: runner?.name, result, reason, times }
}
