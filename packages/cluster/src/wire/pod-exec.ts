// GET and POST pods/NAME/exec: runs a command in a container. The client takes part in it over a WebSocket.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/core/pod/rest/subresources.go
import type { Answer, Request } from '@dayfly/kit/http'
import { badRequest, notFound } from '../api/errors.ts'
import { text } from '../api/values/json.ts'
import { authorize, refusalOf } from './authorization.ts'
import type { Call } from './call.ts'
import { containerOf } from './pod-container.ts'
import { type RemoteCommandProtocol, remoteCommandProtocols, serveCommand } from './remote-command.ts'
import { isTrue, methodNotAllowed } from './route.ts'

/** Answers with a stream of messages. Everything that can be refused is refused before. */
export function execAnswer(call: Call): Answer {
  const { route, backend, request } = call
  requireCreate(call)
  const pod = backend.registry.get('pods', route.namespace, route.name)
  if (!pod) throw notFound(route.kind, route.name)
  const container = containerOf(pod, request.query['container'] ?? '')
  if (text(pod, 'spec', 'nodeName') === '') throw badRequest(`pod ${route.name} does not have a host assigned`)
  const phase = text(pod, 'status', 'phase')
  if (phase === 'Succeeded' || phase === 'Failed') {
    throw badRequest(`cannot exec into a container in a completed pod; current phase is ${phase}`)
  }
  const { command, stdin, stdout, stderr } = execOptions(request)
  const protocol = protocolOf(request)
  const name = { namespace: route.namespace ?? '', pod: route.name, container }
  return {
    status: 101,
    headers: {},
    body: {
      kind: 'messages',
      protocol,
      serve: (stream) =>
        serveCommand(stream, protocol, backend.clock, (toStdout, toStderr, until) => {
          const sinks = { stdout: stdout ? toStdout : undefined, stderr: stderr ? toStderr : undefined }
          return backend.node.exec(name, { command, stdin, ...sinks }, until)
        }),
    },
  }
}

/**
 * Since Kubernetes 1.35, a GET needs the verb `create`, too.
 * Source: https://github.com/kubernetes/kubernetes/pull/134577
 */
function requireCreate({ backend, route, user }: Call): void {
  if (backend.profile < '1.35') return
  const { kind, namespace = '', name, subresource } = route
  const { group, plural: resource } = kind
  const what = { is: 'resource', verb: 'create', group, resource, subresource, namespace, name } as const
  if (!authorize(backend.registry, user, what).allowed) throw refusalOf(user, what)
}

type ExecOptions = {
  readonly command: readonly string[]
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
}

function execOptions({ query, repeated }: Request): ExecOptions {
  const [stdin, stdout, stderr] = [isTrue(query['stdin']), isTrue(query['stdout']), isTrue(query['stderr'])]
  if (isTrue(query['tty'])) {
    const why = 'its containers are processes without a pseudo-terminal'
    throw badRequest(`a terminal is not supported by the embedded cluster: ${why}. Run "kubectl exec" without -t`)
  }
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr')
  const last = query['command']
  const command = repeated?.['command'] ?? (last === undefined ? [] : [last])
  if (command.length === 0) throw badRequest('you must specify at least one command for the container')
  return { command, stdin, stdout, stderr }
}

/** Returns the subprotocol of the session. Throws a 400 if the client does not ask for a WebSocket that is served here. */
function protocolOf({ method, headers }: Request): RemoteCommandProtocol {
  const upgrade = headers['upgrade']?.toLowerCase() ?? ''
  if (upgrade === '' || !wordsOf(headers['connection']).includes('upgrade'))
    throw badRequest('Upgrade request required')
  if (upgrade !== 'websocket') {
    const next = 'Use kubectl 1.31 or later, or set KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true for kubectl 1.29 and 1.30'
    throw badRequest(`the embedded cluster supports WebSocket for commands, and not ${upgrade.slice(0, 100)}. ${next}`)
  }
  if (method !== 'GET') throw methodNotAllowed()
  const offered = wordsOf(headers['sec-websocket-protocol'])
  const protocol = remoteCommandProtocols.find((known) => offered.includes(known))
  if (protocol) return protocol
  throw badRequest(`the WebSocket needs one of the subprotocols ${remoteCommandProtocols.join(', ')}`)
}

/** Returns the words of a header that is a list, in lower case. */
function wordsOf(header = ''): readonly string[] {
  return header.split(',').map((word) => word.trim().toLowerCase())
}
