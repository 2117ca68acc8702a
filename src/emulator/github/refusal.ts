// A request that is not done: thrown by routes, it carries its answer in the shape of the surface that was asked.
import { type Answer, jsonAnswer } from '../../lib/http.ts'

export class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`)
    this.answer = answer
  }
}

const exceptions = {
  AgentExistsException: { status: 409, name: 'GitHub.DistributedTask.WebApi.TaskAgentExistsException' },
  AgentNotFoundException: { status: 404, name: 'GitHub.DistributedTask.WebApi.TaskAgentNotFoundException' },
  JobStillRunningException: { status: 400, name: 'GitHub.DistributedTask.WebApi.TaskAgentJobStillRunningException' },
  RunnerScaleSetExistsException: { status: 400, name: 'GitHub.Actions.Runtime.WebApi.RunnerScaleSetExistsException' },
  RunnerScaleSetNotFoundException: {
    status: 404,
    name: 'GitHub.Actions.Runtime.WebApi.RunnerScaleSetNotFoundException',
  },
  RunnerScaleSetSessionConflictException: {
    status: 409,
    name: 'GitHub.Actions.Runtime.WebApi.RunnerScaleSetSessionConflictException',
  },
  RunnerScaleSetSessionExpiredException: {
    status: 400,
    name: 'GitHub.Actions.Runtime.WebApi.RunnerScaleSetSessionExpiredException',
  },
  RunnerAdminException: { status: 404, name: 'GitHub.Actions.Runtime.WebApi.RunnerAdminException' },
  ArgumentException: { status: 400, name: 'System.ArgumentException' },
  UnauthorizedException: { status: 401, name: 'GitHub.Services.Common.VssUnauthorizedException' },
} as const

/** The Actions service's way: a serialized exception (scale-set protocol 5). */
export function exception(type: keyof typeof exceptions, message: string): Refusal {
  const { status, name } = exceptions[type]
  const assembly = name.slice(0, name.lastIndexOf('.'))
  const value = {
    $id: '1',
    innerException: null,
    message,
    typeName: `${name}, ${assembly}`,
    typeKey: name.slice(assembly.length + 1),
    errorCode: 0,
    eventId: 3000,
  }
  return new Refusal(jsonAnswer(status, value, { 'content-type': 'application/json; charset=utf-8' }))
}

/** The REST API's way. */
export function restError(status: number, message: string): Refusal {
  return new Refusal(
    jsonAnswer(status, { message, documentation_url: 'https://docs.github.com/rest', status: `${status}` }),
  )
}

export type BrokerErrorKind = 'RunnerNotFound' | 'RunnerSessionInvalid' | 'AcknowledgeJobNotFound' | ''

/** The runner's broker's way (scale-set protocol 15.5). */
export function brokerError(status: number, errorKind: BrokerErrorKind, errorMessage: string): Refusal {
  return new Refusal(
    jsonAnswer(status, { source: 'actions-broker-listener', errorKind, statusCode: status, errorMessage }),
  )
}
