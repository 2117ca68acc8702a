// The job template of Atlassian's autoscaler for Bitbucket, and what the autoscaler makes of it (docs/reference/bitbucket.md#s4-2).

type Images = {
  /** The address of the emulated Bitbucket, which the official runner knows by itself. */
  readonly origin: string
  readonly runner: string
  readonly docker: string
}

/** The shape of the official template: Docker is an ordinary container beside the runner, which is root. */
export const officialTemplate = ({ origin, runner, docker }: Images) => `apiVersion: v1
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
              image: ${runner}
              imagePullPolicy: IfNotPresent
              securityContext: { runAsUser: 0 }
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
                - { name: DAYFLY_EMULATOR, value: "${origin}" }
              volumeMounts:
                - { name: tmp, mountPath: /tmp }
                - { name: docker-containers, mountPath: /var/lib/docker/containers, readOnly: true }
                - { name: var-run, mountPath: /var/run }
            - name: docker
              image: ${docker}
              imagePullPolicy: IfNotPresent
              securityContext: { privileged: true }
              volumeMounts:
                - { name: tmp, mountPath: /tmp }
                - { name: docker-containers, mountPath: /var/lib/docker/containers }
                - { name: var-run, mountPath: /var/run }
          volumes: [{ name: tmp }, { name: docker-containers }, { name: var-run }]
      backoffLimit: 6
      completions: 1
      parallelism: 1
`

/** Replaces the variables of a template as the official autoscaler does. */
export function rendered(template: string, namespace: string, env: Readonly<Record<string, string>>): string {
  const bare = (name: string) => (env[name] ?? '').replace(/[{}]/g, '')
  const base64 = (name: string) => Buffer.from(env[name] ?? '').toString('base64')
  const values: Readonly<Record<string, string>> = {
    account_uuid: bare('ACCOUNT_UUID'),
    runner_uuid: bare('RUNNER_UUID'),
    runner_namespace: namespace,
    oauth_client_id_base64: base64('OAUTH_CLIENT_ID'),
    oauth_client_secret_base64: base64('OAUTH_CLIENT_SECRET'),
    requests_memory: '64Mi',
    requests_cpu: '10m',
  }
  return template.replaceAll(/<%(\w+)%>/g, (_all, name: string) => values[name] ?? '')
}
