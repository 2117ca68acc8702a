import { isDeepStrictEqual } from 'node:util'
import { isFull } from '@dayfly/kit/full.fixture'
import { type Random, randomInteger, seededRandom } from '@dayfly/kit/random'
import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from './engine/examine.ts'
import type { Edit, Hit } from './finding.ts'
import { fixFiles } from './fix/fixes.ts'
import type { PodView } from './pod-view.ts'
import type { SourceFile } from './read/decode/document.ts'
import type { Rule } from './rule.ts'
import { catalogue } from './rules/catalogue.ts'

/** A failure prints its seed, which repeats it alone. */
const files = isFull ? 50_000 : 250
const first = Number(process.env['DAYFLY_FUZZ_SEED'] ?? 1)
const millisecondsMax = 1_000

describe('any text', () => {
  it(`${files} mutated files: no crash, none slow, no fix that does not read as intended`, {
    timeout: 3_600_000,
  }, () => {
    let fixed = 0
    for (let seed = first; seed < first + files; seed++) {
      const random = seededRandom(seed)
      const file = mutate(random, pick(random, corpus))
      // Processor time, so that a busy machine fails no test.
      const started = process.cpuUsage()
      try {
        fixed += check(file, random)
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.stack : error}\n${file.text}`, { cause: error })
      }
      const { user, system } = process.cpuUsage(started)
      const took = (user + system) / 1_000
      if (took > millisecondsMax) throw new Error(`seed ${seed} took ${Math.round(took)} ms`)
    }
    expect(fixed).toBeGreaterThan(files / 10)
  })
})

/** Returns the number of fixes made. */
function check(file: SourceFile, random: Random): number {
  const before = decodeFiles([file])
  const { findings } = examine(before, [mischief(random), ...catalogue])
  // Plain comparisons, because an assertion library takes longer than the tested code.
  for (const { place } of findings) {
    const inside = place && place.start >= 0 && place.start <= place.end && place.end <= file.text.length
    if (!inside) throw new Error(`a place outside the text: ${JSON.stringify(place)}`)
  }
  let pass = 0
  const result = fixFiles(
    before,
    () => (pass++ === 0 ? findings : []),
    () => true,
  )
  const after = decodeFiles(result.files.map((decoded) => decoded.file))
  const same =
    after[0]?.skipped.length === before[0]?.skipped.length &&
    after[0]?.documents.length === before[0]?.documents.length &&
    after[0]?.documents.every((document, index) => {
      return isDeepStrictEqual(document.value, result.files[0]?.documents[index]?.value)
    })
  if (!same) throw new Error(`what was written does not read as intended:\n${result.files[0]?.file.text}`)
  expectLinesKept(
    file.text,
    result.files[0]?.file.text ?? '',
    result.applied.flatMap((finding) => finding.fix?.edits ?? []),
  )
  return result.applied.length
}

/** A part without an edit stays unchanged: an addition or a move loses no line. */
function expectLinesKept(before: string, after: string, edits: readonly Edit[]): void {
  if (edits.some((edit) => edit.do === 'remove')) return
  const counts = new Map<string, number>()
  for (const line of words(after)) counts.set(line, (counts.get(line) ?? 0) + 1)
  const lost = words(before).filter((line) => {
    const left = counts.get(line) ?? 0
    counts.set(line, left - 1)
    return left <= 0
  })
  // A key that moves away from a list's dash leaves the dash to the next line.
  const changed = edits.reduce((sum, edit) => sum + (edit.do === 'carry' ? 2 : 1), 0)
  if (lost.length > changed) throw new Error(`lines are lost:\n${lost.join('\n')}`)
}

function words(text: string): string[] {
  return text.split('\n').map((line) => line.trim())
}

/** A rule that requests edits of every kind at places of every kind. */
function mischief(random: Random): Rule {
  const check = ({ pods }: { readonly pods: readonly PodView[] }) => ({
    hits: pods.flatMap((pod) =>
      [0, 1].map((): Hit => {
        const edit = pick(random, proposals(pod, random))
        return {
          object: pod.object,
          document: pod.document,
          path: 'from' in edit ? edit.from : edit.path,
          message: JSON.stringify(edit),
          fix: { safety: 'unsafe', title: 'Change it', edits: [edit] },
        }
      }),
    ),
  })
  const rule = {
    slug: 'mischief',
    code: 'TST001',
    title: '',
    severity: 'error',
    confidence: 'high',
    fix: 'unsafe',
  } as const
  return { ...rule, modes: ['static'], check }
}

function proposals(pod: PodView, random: Random): Edit[] {
  const { path, containers } = pod
  const any = pick(random, [...containers.map((container) => container.path), path])
  const key = pick(random, ['restartPolicy', 'image', 'name', 'privileged', 'startupProbe', 'containers', 'args', '<<'])
  const ordinary = containers.filter(({ role }) => role === 'container')
  return [
    {
      do: 'set',
      path: [...any, key],
      value: pick(random, ['Always', 'no', 600, { exec: { command: ['a', 'b: c'] } }]),
    },
    { do: 'set', path: [...path, 'ttl'], value: 600, after: 'restartPolicy' },
    { do: 'set', path: ['metadata', 'annotations', 'a/b'], value: 'false' },
    { do: 'set', path: [...path, 'containers', ordinary.length], value: { name: 'x', image: 'y' } },
    { do: 'remove', path: [...any, key] },
    { do: 'remove', path: any },
    { do: 'carry', from: [...any, key], to: ['spec'] },
    ...ordinary.map((container): Edit => {
      return {
        do: 'move',
        from: container.path,
        to: [...path, 'initContainers'],
        after: 'containers',
        set: { restartPolicy: 'Always' },
      }
    }),
  ]
}

function mutate(random: Random, file: SourceFile): SourceFile {
  let { text } = file
  for (let left = randomInteger(random, 0, 4); left > 0; left--) text = pick(random, mutations)(text, random)
  return { ...file, text }
}

type Mutation = (text: string, random: Random) => string

const unusualPieces = [
  '\t',
  '- ',
  ': ',
  '#',
  '{',
  '}',
  '[',
  ']',
  '&a ',
  '*a',
  '<<: ',
  '!!str ',
  '|',
  '>-',
  '"',
  "'",
  '\r',
  '\n',
  '---\n',
  '{{ .x }}',
  '{% if x %}',
  '{%- endif %}\n',
  '<% y %>',
  '${z}',
  '\uFEFF',
  '\uE000',
  '\0',
  '? ',
  ',',
  '%',
  '@',
  '🙂',
  '...\n',
  'EOT\n',
  '__proto__: 1\n',
]

const mutations: readonly Mutation[] = [
  (text, random) => insert(text, at(text, random), pick(random, unusualPieces)),
  (text, random) => cut(text, at(text, random), randomInteger(random, 1, 30)),
  (text, random) => onLines(text, (lines, line) => lines.splice(line, 1), random),
  (text, random) => onLines(text, (lines, line) => lines.splice(line, 0, lines[line] ?? ''), random),
  (text, random) =>
    onLines(
      text,
      (lines, line) => lines.splice(line, 0, lines.splice(randomInteger(random, 0, lines.length - 1), 1)[0] ?? ''),
      random,
    ),
  (text, random) => onLines(text, (lines, line) => lines.splice(line, 1, ` ${lines[line]}`), random),
  (text, random) =>
    onLines(text, (lines, line) => lines.splice(line, 1, (lines[line] ?? '').replace(/^ {2}/, '')), random),
  (text, random) => onLines(text, (lines, line) => lines.splice(line, 0, '      {{- if .x }}'), random),
  (text, random) => onLines(text, (lines, line) => lines.splice(line, 1, `${lines[line]} # note`), random),
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.trimEnd(),
  (text) => `x: |\n${text.replace(/^/gm, '  ')}`,
  (text, random) => text.slice(0, at(text, random)),
  (text, random) => `${text}\n---\n${pick(random, corpus).text}`,
]

function onLines(text: string, change: (lines: string[], line: number) => unknown, random: Random): string {
  const lines = text.split('\n')
  change(lines, randomInteger(random, 0, lines.length - 1))
  return lines.join('\n')
}

function insert(text: string, offset: number, what: string): string {
  return text.slice(0, offset) + what + text.slice(offset)
}

function cut(text: string, offset: number, length: number): string {
  return text.slice(0, offset) + text.slice(offset + length)
}

function at(text: string, random: Random): number {
  return randomInteger(random, 0, text.length)
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[randomInteger(random, 0, values.length - 1)] as Value
}

const podSpec = `restartPolicy: "OnFailure"
containers:
  # does the work
  - name: runner
    image: "runner:1" # pinned
    command: ["sh", "-c", "exec run"]
    env: [{ name: DOCKER_HOST, value: unix:///x }]
  - name: docker
    image: docker:dind
    args:
    - dockerd
    - --debug
    securityContext: {privileged: true}
    lifecycle:
      postStart:
        exec:
          command:
            - sh
            - -c
            - |
              sleep 1

              echo done
volumes:
- name: work
  emptyDir: {}
`
const indent = (text: string, columns: number) => text.replace(/^(?=.)/gm, ' '.repeat(columns))
const job = `apiVersion: batch/v1
kind: Job
metadata:
  name: a
spec:
  backoffLimit: 6
  template:
    spec:
${indent(podSpec, 6)}`
const bitbucket = `apiVersion: v1
kind: ConfigMap
metadata:
  name: template
data:
  job.yaml.template: |
    apiVersion: v1
    kind: List
    items:
      - apiVersion: v1
        kind: Secret
        metadata:
          name: oauth-<%runner_uuid%>
        data:
          a: "<%secret_base64%>"
      {%- if repository_uuid %}
      # a comment
      {%- endif %}
      -
${indent(job.replace('name: a', 'name: runner-<%runner_uuid%>'), 8)}`
const arc = `githubConfigUrl: https://github.com/acme
maxRunners: 5
template:
  spec:
${indent(podSpec, 4)}extra:
- |
  kind: Pod
  apiVersion: v1
  metadata: {name: x}
  spec:
${indent(podSpec, 4)}`
const helm = `{{- if .Values.on }}
${job.replace('name: a', 'name: {{ include "x" . }}\n  labels:\n    {{- include "labels" . | nindent 4 }}').replace('backoffLimit: 6', 'backoffLimit: {{ .Values.limit }}')}{{- end }}
`
const terraform = `resource "kubectl_manifest" "x" {
  yaml_body = <<-EOT
${indent(job.replace('name: a', 'name: ${var.name}'), 4)}  EOT
}
`
const literal = `resource "helm_release" "x" {
  values = [
    yamlencode({
      githubConfigUrl = var.url
      template = {
        spec = {
          restartPolicy = "OnFailure"
          containers = [
            # does the work
            { name = "runner", image = "runner:${'${var.tag}'}", args = ["a", 1, null] },
            merge(local.dind, { name = "docker", image = "docker:dind" }),
          ]
        }
      }
      extra = { data = {
        "x.yaml" = <<-EOT
${indent(job, 10)}        EOT
      } }
    })
  ]
}
resource "kubernetes_manifest" "y" {
  manifest = {
    apiVersion = "v1", kind = "Pod"
    spec = { restartPolicy = "Never", containers = [{ name = "runner" }, { name = "docker", image = "docker:dind" }] }
  }
}
`
const anchored = `apiVersion: v1
kind: Pod
metadata: &m
  name: a
spec:
  restartPolicy: Never
  containers:
  - &c
    name: runner
    image: r
  - <<: *c
    name: docker
    image: docker:dind
`
const json = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { restartPolicy: 'Never', containers: [{ name: 'runner' }, { name: 'docker', image: 'docker:dind' }] },
})
/** A text that only kubectl accepts. */
const loose = `apiVersion: batch/v1
kind: Job
metadata:
  name: &name runner
  annotations:
    *name: "it\\'s
"
spec:
  template:
    spec:
      restartPolicy: Never
      hostPID: yes
      containers: [
  { name: runner, image: "ghcr.io/actions/actions-runner:2" },
  { name: docker, image: docker:27-dind }
]
      terminationGracePeriodSeconds: 030
`

const older = `apiVersion: actions.summerwind.dev/v1alpha1
kind: RunnerDeployment
metadata: { name: a }
spec:
  template:
    spec:
      repository: acme/shop
      dockerVolumeMounts:
        - { name: docker, mountPath: /var/lib/docker }
      sidecarContainers:
        - name: buildkitd
          image: moby/buildkit:v0.20.0
`

const workload = `resource "kubernetes_job_v1" "runner" {
  metadata { name = "runner" }
  spec {
    template {
      metadata {}
      spec {
        restart_policy = "Never"
        container {
          name  = "runner"
          image = var.image
        }
        dynamic "container" {
          for_each = var.more
          content { name = "docker" }
        }
      }
    }
  }
}
`

const corpus: readonly SourceFile[] = [
  job,
  loose,
  older,
  bitbucket,
  arc,
  helm,
  anchored,
  json,
  `${job}---\n${anchored}`,
  JSON.stringify(JSON.parse(json), null, 2),
]
  .map((text): SourceFile => ({ path: 'a.yaml', text }))
  .concat([terraform, literal, workload].map((text) => ({ path: 'a.tf', text })))
