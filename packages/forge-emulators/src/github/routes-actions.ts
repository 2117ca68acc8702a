// The routes of the Actions service: runner groups, scale sets, JIT configurations (docs/reference/scale-set-protocol.md#s6, docs/reference/scale-set-protocol.md#s7, docs/reference/scale-set-protocol.md#s11).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { authorizeAdmin, findScaleSet } from './authorize.ts'
import type { Emulation } from './emulation.ts'
import { jitConfig } from './jit.ts'
import { exception } from './refusal.ts'
import { registerRunner } from './runners.ts'
import { createScaleSet, numberLabels, removeScaleSet, scaleSetsOf } from './scale-sets.ts'
import { settle } from './settle.ts'
import type { ScaleSet, Scope } from './state.ts'
import { agentView, scaleSetView } from './views.ts'

export function actionsRoutes(emulation: Emulation): readonly Route[] {
  const runtime = '/tenant/:tenant/_apis/runtime'
  const sets = `${runtime}/runnerscalesets`
  return [
    { method: 'GET', pattern: `${runtime}/runnergroups`, run: (call) => listGroups(emulation, call) },
    { method: 'GET', pattern: sets, run: (call) => listScaleSets(emulation, call) },
    { method: 'POST', pattern: sets, run: (call) => postScaleSet(emulation, call) },
    {
      method: 'GET',
      pattern: `${sets}/:set`,
      run: (call) => jsonAnswer(200, scaleSetView(emulation, findScaleSet(emulation, call), call.origin)),
    },
    { method: 'PATCH', pattern: `${sets}/:set`, run: (call) => patchScaleSet(emulation, call) },
    { method: 'DELETE', pattern: `${sets}/:set`, run: (call) => deleteScaleSet(emulation, call) },
    { method: 'POST', pattern: `${sets}/:set/generatejitconfig`, run: (call) => generateJitConfig(emulation, call) },
  ]
}

function listGroups(emulation: Emulation, call: Call): Answer {
  const scope = authorizeAdmin(emulation, call)
  const wanted = call.request.query['groupName']?.toLowerCase()
  const value = scope.groups
    .filter((group) => wanted === undefined || group.name.toLowerCase() === wanted)
    .map((group) => ({
      id: group.id,
      name: group.name,
      size: scaleSetsOf(emulation, scope).reduce(
        (size, set) => size + (set.groupId === group.id ? set.runners.size : 0),
        0,
      ),
      isDefaultGroup: group.isDefault,
    }))
  return jsonAnswer(200, { count: value.length, value })
}

function listScaleSets(emulation: Emulation, call: Call): Answer {
  const scope = authorizeAdmin(emulation, call)
  const { runnerGroupId, name } = call.request.query
  const value = scaleSetsOf(emulation, scope)
    .filter((set) => runnerGroupId === undefined || set.groupId === Number(runnerGroupId))
    .filter((set) => name === undefined || set.name.toLowerCase() === name.toLowerCase())
    .map((set) => scaleSetView(emulation, set, call.origin))
  return jsonAnswer(200, { count: value.length, value })
}

const settingSchema = z.record(z.string(), z.unknown())
const changeSchema = z.object({
  name: z.string().min(1).max(128).optional(),
  runnerGroupId: z.number().int().optional(),
  labels: z
    .array(z.object({ name: z.string().min(1).max(256), type: z.string().default('System') }))
    .max(100)
    .optional(),
  RunnerSetting: settingSchema.optional(),
  runnerSetting: settingSchema.optional(),
})

function postScaleSet(emulation: Emulation, call: Call): Answer {
  const scope = authorizeAdmin(emulation, call)
  const body = changeSchema.safeParse(call.body)
  if (!body.success || body.data.name === undefined)
    throw exception('ArgumentException', 'The name of the scale set is missing.')
  const { name, runnerGroupId: groupId = 1, labels = [] } = body.data
  checkName(scope, groupId, name, scaleSetsOf(emulation, scope))
  const setting = body.data.RunnerSetting ?? body.data.runnerSetting ?? {}
  const set = createScaleSet(emulation, scope, { name, groupId, labels, setting })
  return jsonAnswer(emulation.knobs.createStatus, scaleSetView(emulation, set, call.origin))
}

/** Changes only the given members. */
function patchScaleSet(emulation: Emulation, call: Call): Answer {
  const set = findScaleSet(emulation, call)
  const body = changeSchema.safeParse(call.body)
  if (!body.success) throw exception('ArgumentException', 'The scale set is not valid.')
  const { name = set.name, runnerGroupId = set.groupId, labels } = body.data
  const others = scaleSetsOf(emulation, set.scope).filter((other) => other !== set)
  checkName(set.scope, runnerGroupId, name, others)
  set.name = name
  set.groupId = runnerGroupId
  set.setting = { ...set.setting, ...(body.data.RunnerSetting ?? body.data.runnerSetting) }
  if (labels) set.labels = numberLabels(emulation, labels)
  settle(emulation)
  return jsonAnswer(200, scaleSetView(emulation, set, call.origin))
}

/** Checks that the group exists and that no other set in it has the same name. */
function checkName(scope: Scope, groupId: number, name: string, others: readonly ScaleSet[]): void {
  if (!scope.groups.some((group) => group.id === groupId)) {
    throw exception('ArgumentException', `There is no runner group with identifier ${groupId}.`)
  }
  if (others.some((set) => set.groupId === groupId && set.name.toLowerCase() === name.toLowerCase())) {
    throw exception('RunnerScaleSetExistsException', `A runner scale set named ${name} already exists.`)
  }
}

function deleteScaleSet(emulation: Emulation, call: Call): Answer {
  const set = findScaleSet(emulation, call)
  if (set.running.size + set.reserved.size > 0) {
    throw exception('JobStillRunningException', `The runner scale set ${set.name} has runners with jobs.`)
  }
  removeScaleSet(emulation, set)
  settle(emulation)
  return emptyAnswer(204)
}

const jitSchema = z.object({ name: z.string().min(1).max(64), workFolder: z.string().max(1024).default('') })

/** Registers the runner at once, even if it never starts. */
function generateJitConfig(emulation: Emulation, call: Call): Answer {
  const set = findScaleSet(emulation, call)
  const body = jitSchema.safeParse(call.body)
  if (!body.success) throw exception('ArgumentException', 'The name of the runner must have 1 to 64 characters.')
  const { name, workFolder } = body.data
  const labels = set.labels.map((label) => label.name)
  const runner = registerRunner(emulation, { name, labels, scope: set.scope, set })
  if (!runner) throw exception('AgentExistsException', `A runner exists with the same name ${name}.`)
  return jsonAnswer(200, {
    runner: agentView(runner),
    encodedJITConfig: jitConfig(emulation, runner, workFolder, call.origin),
  })
}
