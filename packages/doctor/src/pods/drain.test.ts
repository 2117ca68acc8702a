// Tests how runners react when their pod stops, and the two rules that depend on it.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { rule as dindDiesBeforeRunner } from '../rules/dind-dies-before-runner.ts'
import { rule as graceTooShort } from '../rules/grace-too-short.ts'

type Given = { readonly image: string; readonly pod?: string; readonly runner?: string; readonly more?: string }

function findings({ image, pod = '', runner = '', more = '' }: Given) {
  const text = `apiVersion: apps/v1
kind: Deployment
metadata: {name: ci, namespace: ci}
spec:
  template:
    spec:
      ${pod}
      containers:
        - name: runner
          image: ${image}
          ${runner}
        - {name: engine, image: 'docker:28-dind'}
---
${more}`
  const files = decodeFiles([{ path: 'a.yaml', text }])
  return examine(files, [graceTooShort, dindDiesBeforeRunner]).findings.map(
    ({ code, severity }) => `${code} ${severity}`,
  )
}

const raised = 'terminationGracePeriodSeconds: 900'
const hook = (command: string) => `lifecycle: {preStop: {exec: {command: ${command}}}}`

test.each<[string, Given, readonly string[]]>([
  ["GitHub's runner cancels its job", { image: 'myoung34/github-runner:2.329.0' }, []],
  [
    "GitHub's runner cancels it with a raised grace, too",
    { image: 'ghcr.io/actions/actions-runner:2', pod: raised },
    [],
  ],
  [
    "a hook of GitHub's runner waits for the job",
    {
      image: 'ghcr.io/actions/actions-runner:2',
      pod: raised,
      runner: hook("[sh, -c, 'while pgrep Runner.Worker; do sleep 1; done']"),
    },
    ['POD113 warning'],
  ],
  [
    'a script of the runner may wait',
    { image: 'myoung34/github-runner:2', pod: raised, runner: hook('[/opt/drain.sh]') },
    ['POD113 warning'],
  ],
  [
    "a hook that removes GitHub's registration does not wait",
    { image: 'myoung34/github-runner:2', runner: hook('[./config.sh, remove]') },
    [],
  ],
  ['another runner may work on', { image: 'atlassian/bitbucket-pipelines-runner:5' }, ['POD113 info']],
  ['someone expects a wait', { image: 'atlassian/bitbucket-pipelines-runner:5', pod: raised }, ['POD113 warning']],
  [
    'the older ARC has its own wait',
    {
      image: 'summerwind/actions-runner:v2.320.0',
      pod: raised,
      runner: 'env: [{name: RUNNER_GRACEFUL_STOP_TIMEOUT, value: "600"}]',
    },
    ['POD113 warning'],
  ],
  ["Gitea's runner cancels its jobs by default", { image: 'gitea/act_runner:0.2.13' }, []],
  [
    'a shell that waits for Docker does not name a configuration',
    {
      image: 'gitea/act_runner:0.2.13',
      runner: "command: [sh, -c, 'until nc -z 127.0.0.1 2375; do sleep 1; done; act_runner daemon']",
    },
    [],
  ],
])('%s', (_, given, expected) => expect(findings(given)).toEqual(expected))

const configured = (pod: string, from = 'configMap: {name: act}'): Given => ({
  image: 'code.forgejo.org/forgejo/runner:12',
  pod: `${pod}\n      volumes: [{name: settings, ${from}}]`,
  runner:
    'command: [forgejo-runner, daemon, --config, /etc/act/a.yaml]\n          volumeMounts: [{name: settings, mountPath: /etc/act}]',
})
const configMap = (line: string, name = 'act', namespace = 'ci') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata:\n  a.yaml: |\n    runner:\n      capacity: 2\n      ${line}\n`

test.each<[string, string, readonly string[]]>([
  ['', configMap('shutdown_timeout: 20m'), ['POD112 warning', 'POD113 warning']],
  [raised, configMap('shutdown_timeout: 20m'), ['POD112 warning', 'POD113 warning']],
  [raised, configMap('shutdown_timeout: "14m30s" # a job takes ten'), ['POD113 warning']],
  [raised, configMap('shutdown_timeout: 0s'), []],
  [raised, configMap('# shutdown_timeout: 20m'), []],
  // The configuration is not in the input.
  ['', configMap('shutdown_timeout: 20m', 'other'), ['POD113 info']],
  ['', configMap('shutdown_timeout: 20m', 'act', 'web'), ['POD113 info']],
  [raised, '', ['POD113 warning']],
])('the shutdown_timeout of a mounted ConfigMap is read: %j %j', (pod, more, expected) => {
  expect(findings({ ...configured(pod), more })).toEqual(expected)
  const projected = configured(pod, 'projected: {sources: [{configMap: {name: act}}]}')
  expect(findings({ ...projected, more })).toEqual(expected)
})
