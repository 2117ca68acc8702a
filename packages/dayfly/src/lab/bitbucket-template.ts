// The job template of Atlassian's autoscaler for Bitbucket, in its shape, and what the autoscaler makes of it (docs/reference/bitbucket.md#s4-2).
import { parseAllDocuments } from 'yaml'

/** Docker is an ordinary container beside the runner. */
export const officialTemplate = `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Secret
    metadata:
      name: runner-oauth-credentials-<%runner_uuid%>
      labels: { account_uuid: <%account_uuid%>, runner_uuid: <%runner_uuid%>, runner_namespace: <%runner_namespace%> }
    data: { oauthClientId: <%oauth_client_id_base64%>, oauthClientSecret: <%oauth_client_secret_base64%> }
  - apiVersion: batch/v1
    kind: Job
    metadata: { name: runner-<%runner_uuid%> }
    spec:
      template:
        metadata:
          labels: { account_uuid: <%account_uuid%>, runner_uuid: <%runner_uuid%>, runner_namespace: <%runner_namespace%> }
        spec:
          restartPolicy: OnFailure
          terminationGracePeriodSeconds: 20
          containers:
            - name: runner
              image: docker-public.packages.atlassian.com/sox/atlassian/bitbucket-pipelines-runner:1
              resources:
                requests: { memory: <%requests_memory%>, cpu: <%requests_cpu%> }
              env:
                - { name: ACCOUNT_UUID, value: "{<%account_uuid%>}" }
                - { name: RUNNER_UUID, value: "{<%runner_uuid%>}" }
                - name: OAUTH_CLIENT_ID
                  valueFrom: { secretKeyRef: { name: runner-oauth-credentials-<%runner_uuid%>, key: oauthClientId } }
                - name: OAUTH_CLIENT_SECRET
                  valueFrom: { secretKeyRef: { name: runner-oauth-credentials-<%runner_uuid%>, key: oauthClientSecret } }
                - { name: WORKING_DIRECTORY, value: /tmp }
              volumeMounts:
                - { name: tmp, mountPath: /tmp }
                - { name: docker-containers, mountPath: /var/lib/docker/containers, readOnly: true }
                - { name: var-run, mountPath: /var/run }
            - name: docker
              image: docker:dind
              securityContext: { privileged: true }
              volumeMounts:
                - { name: tmp, mountPath: /tmp }
                - { name: docker-containers, mountPath: /var/lib/docker/containers }
                - { name: var-run, mountPath: /var/run }
          volumes:
            - { name: tmp, emptyDir: {} }
            - { name: docker-containers, emptyDir: {} }
            - { name: var-run, emptyDir: {} }
      backoffLimit: 6
      completions: 1
      parallelism: 1
`

export type Registered = { readonly uuid: string; readonly clientId: string; readonly clientSecret: string }

type Manifest = { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec?: JobSpec }
type JobSpec = { readonly template: { readonly spec: PodSpec } }
type PodSpec = Readonly<Record<string, unknown>> & { readonly initContainers?: readonly object[] }

/** Replaces the variables as the autoscaler does, and reads the objects of the list. */
export function renderTemplate(template: string, namespace: string, registered: Registered): readonly Manifest[] {
  const { uuid, clientId, clientSecret } = registered
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const values: Readonly<Record<string, string>> = {
    account_uuid: uuid,
    runner_uuid: uuid,
    runner_namespace: namespace,
    oauth_client_id_base64: base64(clientId),
    oauth_client_secret_base64: base64(clientSecret),
    requests_memory: '1Gi',
    requests_cpu: '500m',
  }
  const text = template.replaceAll(/<%(\w+)%>/g, (_all, name: string) => values[name] ?? '')
  return parseAllDocuments(text).flatMap((document) => {
    const list = document.toJS() as { readonly items?: readonly Manifest[] }
    return (list.items ?? []).map((item) => ({ ...item, metadata: { ...item.metadata, namespace } }))
  })
}
