// The part of the control API that runs pipelines of files and shows the logs of their steps.
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import type { PipelineRun } from '../pipelines/feed.ts'
import { parsePipeline } from '../pipelines/parse.ts'
import type { Pipeline } from '../pipelines/pipeline.ts'
import { found, refuse } from '../server/control-routes.ts'
import { Refusal } from '../server/refusal.ts'
import type { Call, Route } from '../server/router.ts'
import { pipelinesKind } from '../source/kind.ts'
import { SourceError } from '../source/problem.ts'
import { checkSource } from '../source/source.ts'
import type { Control } from './control.ts'
import type { Emulation } from './emulation.ts'
import { placeNamed } from './state.ts'

export function pipelineRoutes(emulation: Emulation, control: Control): readonly Route[] {
  const pipeline = '/_emulator/pipelines/:pipeline'
  const named = (call: Call) => emulation.state.pipelines.get(call.params['pipeline'] ?? '')
  return [
    { method: 'POST', pattern: '/_emulator/pipelines', run: (call) => start(emulation, control, call) },
    {
      method: 'GET',
      pattern: pipeline,
      run: (call) => jsonAnswer(200, pipelineView(named(call) ?? refuse(404, 'The pipeline does not exist.'))),
    },
    {
      method: 'POST',
      pattern: `${pipeline}/stop`,
      run: (call) => {
        const run = named(call)
        const isUnderWay = run !== undefined && run.result() === undefined
        if (isUnderWay) run.stop()
        return found(isUnderWay)
      },
    },
    {
      method: 'GET',
      pattern: '/_emulator/steps/:step/log',
      run: (call) => {
        const step = control.step(call.params['step'] ?? '') ?? refuse(404, 'The step does not exist.')
        return jsonAnswer(200, { lines: step.log.lines })
      },
    },
  ]
}

/** Starts a pipeline of the file in the body. The query chooses it, its repository and the labels of steps without `runs-on`. */
function start({ state }: Emulation, control: Control, call: Call): Answer {
  const { query } = call.request
  const { selector = 'default', repository = state.workspaces[0]?.repositories[0]?.slug ?? '' } = query
  const labels = query['labels']?.split(',') ?? ['self.hosted', 'linux']
  if (!state.workspaces.some(({ repositories }) => placeNamed(repositories, repository))) {
    return refuse(404, 'The repository does not exist.')
  }
  const pipeline = readBody(call.request, selector)
  const run = control.runPipeline(pipeline, { repository, labels })
  return jsonAnswer(201, { ...pipelineView(run), notes: pipeline.notes })
}

function readBody({ body }: Request, selector: string): Pipeline {
  // JSON is YAML, too.
  const text = body.kind === 'text' ? body.text : body.kind === 'json' ? JSON.stringify(body.value) : ''
  try {
    return parsePipeline(checkSource('bitbucket-pipelines.yml', Buffer.from(text), pipelinesKind), selector)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new Refusal(jsonAnswer(400, { error: error.message, problems: error.problems }))
  }
}

export function pipelineView(run: PipelineRun): object {
  return { uuid: run.uuid, buildNumber: run.buildNumber, result: run.result(), steps: run.steps() }
}
