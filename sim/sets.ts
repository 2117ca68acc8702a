// The runner sets of one seed: two namespaces, GitHub's sets and Bitbucket's.
import { type Random, randomInteger } from '@dayfly/kit/random'

export type SetSpec = {
  readonly namespace: string
  readonly name: string
  readonly forge: 'github' | 'bitbucket'
  readonly organization: string
  /** The label that its jobs ask for. */
  readonly label: string
  readonly min: number
  readonly max: number
}

export const namespaces = ['a', 'b'] as const
const githubOrigin = 'http://github.test'
export const bitbucketOrigin = 'http://bitbucket.test'
export const credentialName = 'forge'

/** Returns one to three sets. Sets of one organization have different names, as GitHub demands. */
export function setsOf(random: Random): readonly SetSpec[] {
  const forges = random() < 0.35 ? (['github', 'bitbucket'] as const) : (['github', 'github'] as const)
  const count = randomInteger(random, 1, 2)
  return forges.slice(2 - count).map((forge, index) => {
    const min = forge === 'bitbucket' ? randomInteger(random, 1, 2) : randomInteger(random, 0, 2)
    const namespace = namespaces[index] ?? 'a'
    return {
      namespace,
      name: `linux-${namespace}`,
      forge,
      organization: 'acme',
      label: `${forge}${namespace}`,
      min,
      max: min + randomInteger(random, 1, 5),
    }
  })
}

export function setObject({ namespace, name, forge, organization, label, min, max }: SetSpec) {
  const credentials = { secret: credentialName }
  const source =
    forge === 'github'
      ? { github: { url: `${githubOrigin}/${organization}`, plainHttp: true, credentials, labels: [label] } }
      : { bitbucket: { url: `${bitbucketOrigin}/${organization}`, plainHttp: true, credentials, labels: [label] } }
  const spec = { ...source, scale: { min, max }, keepFailed: '0s' }
  return { apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata: { name, namespace }, spec }
}

/** One Secret serves the sets of both forges: each reads its own entry. */
export function credentialObject(namespace: string, token: string) {
  const data = Buffer.from(token).toString('base64')
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: credentialName, namespace },
    type: 'Opaque',
    data: { github_token: data, bitbucketAccessToken: data },
  }
}
