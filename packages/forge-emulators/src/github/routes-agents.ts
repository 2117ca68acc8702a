// The runner routes of the Actions service: list, read, remove (docs/reference/scale-set-protocol.md#s11-2).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { authorizeAdmin } from './authorize.ts'
import type { Emulation } from './emulation.ts'
import { exception } from './refusal.ts'
import { removeRunner, runnersOf } from './runners.ts'
import type { Runner } from './state.ts'
import { agentView } from './views.ts'

export function agentRoutes(emulation: Emulation): readonly Route[] {
  const agents = '/tenant/:tenant/_apis/distributedtask/pools/:pool/agents'
  return [
    { method: 'GET', pattern: agents, run: (call) => listAgents(emulation, call) },
    { method: 'GET', pattern: `${agents}/:id`, run: (call) => getAgent(emulation, call) },
    { method: 'DELETE', pattern: `${agents}/:id`, run: (call) => deleteAgent(emulation, call) },
  ]
}

function listAgents(emulation: Emulation, call: Call): Answer {
  const scope = authorizeAdmin(emulation, call)
  const value = runnersOf(emulation, scope, call.request.query['agentName']).map(agentView)
  return jsonAnswer(200, { count: value.length, value })
}

function getAgent(emulation: Emulation, call: Call): Answer {
  const runner = findAgent(emulation, call)
  if (!runner) throw exception('AgentNotFoundException', `Agent ${call.params['id']} was not found.`)
  return jsonAnswer(200, agentView(runner))
}

/** Removes a runner. Refuses if the runner has a job, even one that it has not started. Succeeds if the runner does not exist. */
function deleteAgent(emulation: Emulation, call: Call): Answer {
  const runner = findAgent(emulation, call)
  if (runner?.job) {
    throw exception('JobStillRunningException', `The runner ${runner.name} is currently running a job.`)
  }
  if (runner) removeRunner(emulation, runner)
  return emptyAnswer(204)
}

function findAgent(emulation: Emulation, call: Call): Runner | undefined {
  const scope = authorizeAdmin(emulation, call)
  const runner = emulation.state.runners.get(Number(call.params['id']))
  return runner?.scope === scope ? runner : undefined
}
