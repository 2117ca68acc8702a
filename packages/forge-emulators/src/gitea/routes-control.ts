// The control API under `/_emulator`, for tests and for users without a server.
import { jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import { done, found, parsed, refuse, serverRoutes } from '../server/control-routes.ts'
import type { Call, Route } from '../server/router.ts'
import { knobChangeSchema } from './config.ts'
import type { Control } from './control.ts'
import { cronTasks } from './cron.ts'
import type { Emulation } from './emulation.ts'
import { allJobs, fullName, placeNamed } from './places.ts'
import { jobRoutes } from './routes-control-jobs.ts'

export function controlRoutes(emulation: Emulation, control: Control): readonly Route[] {
  const { stub } = control
  const runner = '/_emulator/runners/:runner'
  const nameOf = (call: Call) => call.params['runner'] ?? ''
  return [
    ...serverRoutes(control, emulation.clock),
    ...jobRoutes(emulation, control),
    ...placeRoutes(emulation, control),
    { method: 'GET', pattern: '/_emulator/state', run: () => jsonAnswer(200, dumpState(emulation, control)) },
    {
      method: 'PUT',
      pattern: '/_emulator/knobs',
      run: (call) => done(() => control.knobs(parsed(knobChangeSchema, call))),
    },
    {
      method: 'POST',
      pattern: '/_emulator/cron/:task',
      run: (call) => {
        const task = cronTasks.find((each) => each === call.params['task'])
        return done(() => control.runCron(task ?? refuse(404, 'The cron task does not exist.')))
      },
    },
    { method: 'POST', pattern: `${runner}/online`, run: (call) => found(stub.online(nameOf(call))) },
    { method: 'POST', pattern: `${runner}/vanish`, run: (call) => found(stub.vanish(nameOf(call))) },
    {
      method: 'POST',
      pattern: `${runner}/finish`,
      run: (call) => found(stub.finish(nameOf(call), parsed(finishSchema, call).result)),
    },
  ]
}

const finishSchema = z.strictObject({ result: z.enum(['success', 'failure', 'cancelled']).default('success') })
const renameSchema = z.strictObject({ name: z.string().regex(/^[\w.-]{1,100}$/) })
const tokenSchema = z.strictObject({ place: z.string() })
const revokeSchema = z.strictObject({ token: z.string() })

function placeRoutes({ state }: Emulation, control: Control): readonly Route[] {
  const repository = '/_emulator/repositories/:owner/:repository'
  const nameOf = ({ params }: Call) => {
    const name = `${params['owner']}/${params['repository']}`
    return state.repositories.has(name.toLowerCase()) ? name : refuse(404, 'The repository does not exist.')
  }
  return [
    { method: 'DELETE', pattern: repository, run: (call) => done(() => control.deleteRepository(nameOf(call))) },
    {
      method: 'POST',
      pattern: `${repository}/rename`,
      run: (call) => done(() => control.renameRepository(nameOf(call), parsed(renameSchema, call).name)),
    },
    { method: 'POST', pattern: `${repository}/archive`, run: (call) => done(() => control.archive(nameOf(call))) },
    {
      method: 'POST',
      pattern: `${repository}/disable-actions`,
      run: (call) => done(() => control.disableActions(nameOf(call))),
    },
    {
      method: 'POST',
      pattern: '/_emulator/reset-registration-token',
      run: (call) => {
        const { place } = parsed(tokenSchema, call)
        try {
          placeNamed(state, place)
        } catch {
          return refuse(404, 'The place does not exist.')
        }
        return done(() => control.resetRegistrationToken(place))
      },
    },
    {
      method: 'POST',
      pattern: '/_emulator/revoke',
      run: (call) => done(() => control.revoke(parsed(revokeSchema, call).token)),
    },
  ]
}

/** Returns the whole state as JSON. It contains no secret. */
function dumpState({ clock, knobs, state }: Emulation, control: Control): object {
  return {
    now: new Date(clock.now()).toISOString(),
    knobs,
    owners: [...state.owners.values()].map(({ kind, name, repositories }) => ({
      kind,
      name,
      repositories: [...repositories].map((repository) => ({
        name: fullName(repository),
        isArchived: repository.isArchived,
        hasActions: repository.hasActions,
      })),
    })),
    runners: control.runners(),
    jobs: allJobs(state.site).map(({ id }) => control.job(String(id))),
  }
}
