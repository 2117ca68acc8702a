// The workloads of Terraform's own blocks, and the findings in them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from '../../engine/examine.ts'
import { fixFiles } from '../../fix/fixes.ts'
import { catalogue } from '../../rules/catalogue.ts'
import { undeclaredVersion } from '../../version-fact.ts'
import { decodeFile } from '../decode/decode.ts'
import type { DecodedFile } from '../decode/document.ts'
import { filler } from '../template/template-value.ts'
import { indexLines, placeOf } from '../yaml/place.ts'

const job = `# A runner.
resource "kubernetes_job_v1" "runner" {
  count = 2
  metadata {
    name      = "runner-\${var.name}"
    namespace = "ci"
    labels    = { "app.kubernetes.io/name" = "runner" }
  }
  spec {
    backoff_limit              = "0"
    ttl_seconds_after_finished = "300"
    template {
      metadata {}
      spec {
        restart_policy = "Never"
        host_pid       = "true"
        container {
          name    = "runner"
          image   = "ghcr.io/actions/actions-runner:2.330.0"
          command = ["/home/runner/run.sh"]
          env {
            name  = "A"
            value = "1"
          }
          env {
            name = "B"
            value_from {
              field_ref { field_path = "spec.nodeName" }
            }
          }
        }
        container {
          name  = "dind"
          image = "docker:27-dind"
          security_context { privileged = true }
        }
        volume {
          name = "work"
          empty_dir {}
        }
      }
    }
  }
  wait_for_completion = false
}
`
const decode = (text: string) => decodeFile({ path: 'a.tf', text })

describe('a workload of Terraform', () => {
  it('has the shape of the object that it makes', () => {
    const { objects, skipped } = decode(job)
    expect(skipped).toEqual([])
    expect(objects.map(({ value }) => value)).toEqual([
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: `runner-${filler}`, namespace: 'ci', labels: { 'app.kubernetes.io/name': 'runner' } },
        spec: {
          backoffLimit: 0,
          ttlSecondsAfterFinished: 300,
          template: {
            metadata: {},
            spec: {
              restartPolicy: 'Never',
              hostPID: true,
              containers: [
                {
                  name: 'runner',
                  image: 'ghcr.io/actions/actions-runner:2.330.0',
                  command: ['/home/runner/run.sh'],
                  env: [
                    { name: 'A', value: '1' },
                    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
                  ],
                },
                { name: 'dind', image: 'docker:27-dind', securityContext: { privileged: true } },
              ],
              volumes: [{ name: 'work', emptyDir: {} }],
            },
          },
        },
      },
    ])
  })

  it.each([
    ['kubernetes_pod', 'v1 Pod'],
    ['kubernetes_pod_v1', 'v1 Pod'],
    ['kubernetes_job', 'batch/v1 Job'],
    ['kubernetes_cron_job_v1', 'batch/v1 CronJob'],
    ['kubernetes_deployment_v1', 'apps/v1 Deployment'],
    ['kubernetes_stateful_set', 'apps/v1 StatefulSet'],
    ['kubernetes_daemonset', 'apps/v1 DaemonSet'],
    ['kubernetes_daemon_set_v1', 'apps/v1 DaemonSet'],
  ])('is read from %s', (type, kind) => {
    const { objects } = decode(`resource "${type}" "x" {\n  spec {}\n}\n`)
    expect(objects.map(({ value }) => `${value['apiVersion']} ${value['kind']}`)).toEqual([kind])
  })

  it('has its true places', () => {
    const [object] = decode(job).objects
    const at = (...path: (string | number)[]) => {
      const { line, column, start, end } = placeOf(object!, path, indexLines(job))
      return `${line}:${column} ${job.slice(start, end)}`
    }
    const pod = ['spec', 'template', 'spec']
    expect(at('kind')).toBe('2:1 resource')
    expect(at(...pod, 'restartPolicy')).toBe('15:9 restart_policy = "Never"')
    expect(at(...pod, 'containers', 1)).toBe('32:9 container {')
    expect(at(...pod, 'containers', 1, 'image')).toBe('34:11 image = "docker:27-dind"')
    expect(at(...pod, 'containers', 0, 'env', 1, 'name')).toBe('26:13 name = "B"')
    expect(at(...pod, 'volumes')).toBe('37:9 volume')
  })

  it('is examined, and not fixed: the reason is given', () => {
    const files = decodeFiles([{ path: 'a.tf', text: job }])
    const found = (now: readonly DecodedFile[]) => examine(now, catalogue).findings
    expect(found(files).map(({ code, place }) => `${code} ${place?.line}:${place?.column}`)).toContain('POD101 32:9')
    const { changed, refused } = fixFiles(files, found, () => true)
    expect(changed).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(reason).toMatch(/Terraform's own language/)
    const healthy = job.replace(/ {8}container \{\n {10}name {2}= "dind"[\s\S]*?\n {8}\}\n/, '')
    expect(found(decodeFiles([{ path: 'a.tf', text: healthy }])).map(({ code }) => code)).not.toContain('POD101')
  })

  it('does not guess what a loop makes', () => {
    const loop = job.replace(
      / {10}env \{\n {12}name {2}= "A"[\s\S]*?\n {10}\}\n/,
      '          dynamic "env" {\n            for_each = var.all\n            content {\n              name = env.key\n            }\n          }\n',
    )
    const [object] = decode(loop).objects
    expect(JSON.stringify(object?.value)).toContain(`"env":["${filler}",{"name":"B"`)
  })

  it('has a runner that lasts, also if its tag is computed together with the colon', () => {
    const image = 'docker-public.packages.atlassian.com/sox/atlassian/bitbucket-pipelines-runner${local.tag}'
    const lasting = job
      .replace('ghcr.io/actions/actions-runner:2.330.0', image)
      .replace('          command = ["/home/runner/run.sh"]\n', '')
      .replace('"Never"', '"OnFailure"')
    const { findings } = examine(decodeFiles([{ path: 'a.tf', text: lasting }]), catalogue, {
      version: undeclaredVersion,
    })
    expect(findings.map(({ code }) => code)).toContain('POD101')
    expect(findings.filter(({ code }) => code === 'JOB206' || code === 'JOB207')).toEqual([])
  })

  it('is reported as unread where it cannot be read', () => {
    const { objects, skipped } = decode(`${job}resource "kubernetes_pod" "b" {\n  spec {\n    = 1\n  }\n}\n`)
    expect(objects).toHaveLength(1)
    expect(skipped).toEqual([
      { file: 'a.tf', line: 48, reason: 'a workload of Terraform: neither an attribute nor a block' },
    ])
  })

  it('is read beside manifests, heredocs and comments', () => {
    const text = `${job}/* resource "kubernetes_pod" "no" { */\nresource "kubernetes_manifest" "m" {\n  manifest = yamldecode(<<-EOT\n    apiVersion: v1\n    kind: Pod\n    metadata: { name: m }\n    EOT\n  )\n}\n`
    expect(decode(text).objects.map(({ value }) => value['kind'])).toEqual(['Job', 'Pod'])
  })

  it('is read to its end, with any content', () => {
    const part = fc.constantFrom(
      ...['{', '}', '[', ']', '"', '${', '\n', ' ', ',', '=', '<<E\n', 'E\n', 'spec {\n', 'container {\n', '}\n', '#'],
      ...['dynamic "env" {\n', 'name = "x"\n', 'metadata {}\n', 'a = {\n', 'resource "kubernetes_pod" "y" {\n'],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = `resource "kubernetes_job_v1" "x" {\n${parts.join('')}`
        for (const object of decode(text).objects) {
          const place = placeOf(object, ['spec'], indexLines(text))
          expect(place.start >= 0 && place.end <= text.length).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(['spec {\n', 'resource "kubernetes_pod" "x" {\n', 'a = {\n', 'a = "', 'spec "'])(
    'is bounded where it repeats %j',
    (part) => {
      const text = `resource "kubernetes_pod" "x" {\n${part.repeat(40_000)}`
      const { user, system } = process.cpuUsage()
      decode(text)
      const after = process.cpuUsage()
      expect(after.user + after.system - user - system).toBeLessThan(4_000_000)
    },
  )
})
