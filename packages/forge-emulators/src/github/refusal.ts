// The refusals of GitHub's APIs, each in the format of its API.
import { jsonAnswer } from '@dayfly/kit/http'
import { Refusal } from '../server/refusal.ts'

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

/** Returns an error of the Actions service: a serialized exception (docs/reference/scale-set-protocol.md#s5). */
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

/** Returns an error of the REST API. */
export function restError(status: number, message: string): Refusal {
  return new Refusal(
    jsonAnswer(status, { message, documentation_url: 'https://docs.github.com/rest', status: `${status}` }),
  )
}

export type BrokerErrorKind =
  | 'RunnerNotFound'
  | 'RunnerSessionInvalid'
  | 'RunnerVersionTooOld'
  | 'AcknowledgeJobNotFound'
  | ''

/** Returns an error of the runner's broker (docs/reference/scale-set-protocol.md#s15-5). */
export function brokerError(status: number, errorKind: BrokerErrorKind, errorMessage: string): Refusal {
  return new Refusal(
    jsonAnswer(status, { source: 'actions-broker-listener', errorKind, statusCode: status, errorMessage }),
  )
}
