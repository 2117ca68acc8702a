// The resources that Kubernetes serves and the embedded cluster does not. A request for one gets a 404 that says so, with an alternative.
import type { Request } from '@dayfly/kit/http'
import { ApiError } from '../api/errors.ts'

/** The subresources by name, with what to do instead. */
const subresources: Readonly<Record<string, string>> = {
  attach: 'Read the log with "kubectl logs", or run a command with "kubectl exec"',
  portforward: "Connect to the pod's IP: pods use the host's network",
  proxy: "Connect to the pod's IP: pods use the host's network",
  ephemeralcontainers: 'Run the command on the host: containers are processes of it',
  resize: 'Create the pod again: no limit of resources is enforced',
}

/** The kinds by group. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  '': ['replicationcontrollers', 'componentstatuses'],
  apps: ['controllerrevisions'],
  'authentication.k8s.io': ['selfsubjectreviews', 'tokenreviews'],
  'authorization.k8s.io': ['localsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'events.k8s.io': ['events'],
  'flowcontrol.apiserver.k8s.io': ['flowschemas', 'prioritylevelconfigurations'],
  'resource.k8s.io': ['resourceclaims', 'resourceclaimtemplates', 'deviceclasses', 'resourceslices'],
  'storage.k8s.io': ['csidrivers', 'csinodes', 'csistoragecapacities', 'volumeattachments'],
}

/** Returns the refusal of a request for a resource that only Kubernetes has, or undefined. */
export function absentRefusal({ path }: Request): ApiError | undefined {
  const [root, ...rest] = path.slice(1).replace(/\/$/, '').split('/')
  if (root !== 'api' && root !== 'apis') return undefined
  const group = root === 'api' ? '' : (rest[0] ?? '')
  const below = rest.slice(root === 'api' ? 1 : 2)
  const [plural = '', name = '', subresource = ''] =
    below[0] === 'namespaces' && below.length > 2 ? below.slice(2) : below
  const instead = name === '' || !Object.hasOwn(subresources, subresource) ? undefined : subresources[subresource]
  if (instead !== undefined) return refusal(`${plural}/${subresource} is`, instead)
  const isKnown = Object.hasOwn(kinds, group) && kinds[group]?.includes(plural)
  const whole = group === '' ? plural : `${plural}.${group}`
  return isKnown ? refusal(`${whole} are`, 'Use another cluster for them') : undefined
}

function refusal(what: string, instead: string): ApiError {
  const message = `the server could not find the requested resource: ${what} not supported by the embedded cluster. ${instead}`
  return new ApiError(404, 'NotFound', message, {})
}
