// Any input: the import ends soon, without a crash, with sets that the schema accepts, a line for each value, and no credential.
import { isJsonObject, type Path, valueAt } from '@dayfly/kit/read-json'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { writeYaml } from '../write-yaml.ts'
import { yamlPieces } from '../yaml-pieces.fixture.ts'
import { requestOf } from './import.fixture.ts'
import { importArc } from './import.ts'
import { readHelmSecret } from './read/helm-secret.ts'
import { leavesOf } from './values.ts'

const credential = 'ghp_0123456789abcdefghijABCDEFGHIJ'

const whole = `githubConfigUrl: https://github.com/acme
githubConfigSecret: {github_token: ${credential}}
runnerScaleSetName: Linux X64
scaleSetLabels: [gpu, Linux X64]
maxRunners: 5
minRunners: 1
containerMode: {type: dind, kubernetesModeWorkVolumeClaim: {accessModes: [ReadWriteOnce]}}
proxy: {http: {url: http://p.example:1}, https: {url: http://p.example:2, credentialSecretRef: p}, noProxy: [a]}
githubServerTLS: {certificateFrom: {configMapKeyRef: {name: ca, key: ca.crt}}, runnerMountPath: /certs}
keyVault: {type: azure_key_vault, azureKeyVault: {url: https://v}}
labels: {a: b, "app.kubernetes.io/name": x}
resourceMeta: {autoscalingRunnerSet: {annotations: {c: d}}}
listenerTemplate: {spec: {containers: [{name: listener}]}}
template:
  metadata: {labels: {x: "1"}}
  spec:
    serviceAccountName: me
    affinity: {podAntiAffinity: {}}
    initContainers: [{name: init, image: a, volumeMounts: [{name: work, mountPath: /w}]}]
    containers:
      - {name: runner, image: a/b, command: [sh, -c, x], env: [{name: NPM_TOKEN, value: ${credential}}], volumeMounts: [{name: work, mountPath: /home/runner/_work}]}
      - {name: dind, image: "docker:dind", args: [dockerd, --mtu=1400], securityContext: {privileged: true}}
    volumes: [{name: work, emptyDir: {sizeLimit: 1Gi}}]
`
const around: Readonly<Record<string, (values: string) => string>> = {
  'values.yaml': (values) => values,
  'release.yaml': (values) =>
    `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n  chart: {spec: {chart: gha-runner-scale-set}}\n  values:\n${indented(values, '    ')}`,
  'app.yaml': (values) =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    chart: gha-runner-scale-set\n    helm:\n      values: |\n${indented(values, '        ')}`,
  'main.tf': (values) =>
    `resource "helm_release" "a" {\n  chart = "gha-runner-scale-set"\n  values = [<<EOT\n${values}\nEOT\n  ]\n}\n`,
  'set.yaml': (values) =>
    `apiVersion: actions.github.com/v1alpha1\nkind: AutoscalingRunnerSet\nmetadata: {name: a}\nspec:\n${indented(values, '  ')}`,
}

function indented(text: string, by: string): string {
  return text.replace(/^/gm, by)
}

const pieces = fc.constantFrom(
  ...yamlPieces,
  ...['{{ .x }}', '${x}', '{{', '1e9', '-1', 'true', '__proto__: {a: 1}'],
  ...['name: runner', 'image: docker:dind', 'type: kubernetes', 'env:', 'volumes: []'],
)
const change = fc.record({ at: fc.nat(), remove: fc.nat({ max: 40 }), insert: fc.oneof(pieces, fc.constant('')) })

it('converts any text around real values', () => {
  const changed = fc.record({
    file: fc.constantFrom(...Object.keys(around)),
    changes: fc.array(change, { maxLength: 6 }),
  })
  fc.assert(
    fc.property(changed, ({ file, changes }) => {
      const values = changes.reduce((text, { at, remove, insert }) => {
        const from = at % text.length
        return `${text.slice(0, from)}${insert}${text.slice(from + remove)}`
      }, whole)
      const result = importArc(requestOf({ [file]: around[file]?.(values) ?? '' }))
      expect(result.problems).toEqual([])
      for (const { document, lines } of result.sets) {
        expect(parse(writeYaml(document))).toEqual(JSON.parse(JSON.stringify(document)))
        const places = lines.map(({ file: from, path }) => `${from} ${path}`)
        expect(new Set(places).size).toBe(places.length)
      }
      // A changed token is another text, so only the whole one counts.
      if (values.includes(`github_token: ${credential}}`) && values.includes(`NPM_TOKEN, value: ${credential}}`)) {
        expect(JSON.stringify(result)).not.toContain(credential)
      }
    }),
    { numRuns: 150 },
  )
})

const longest = 600
const strange = fc.oneof(
  fc.string(),
  fc.string({ minLength: 50, maxLength: longest, unit: 'grapheme-ascii' }),
  fc.constantFrom<unknown>('', ' ', '/', '-', 'A', 'a'.repeat(longest), '{{ .x }}', '${x}', 0, -1, 1.5, 2 ** 40, true),
  fc.constantFrom<unknown>(null, [], {}, [''], [null], { a: '' }, Array.from({ length: 70 }, String)),
)

const claim = { resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast', accessModes: ['ReadWriteMany'] }
const valuesOf = (type: string) => ({ ...parse(whole), containerMode: { type, kubernetesModeWorkVolumeClaim: claim } })

it('converts any value in place of a real one', () => {
  const real = fc.record({
    mode: fc.constantFrom('dind', 'kubernetes'),
    leaf: fc.constantFrom(...leavesOf(valuesOf(''), [])),
    above: fc.nat({ max: 2 }),
  })
  fc.assert(
    fc.property(real, strange, ({ mode, leaf, above }, value) => {
      const path = leaf.slice(0, Math.max(1, leaf.length - above))
      const text = stringify(replaced(valuesOf(mode), path, value))
      const { sets, problems } = importArc(requestOf({ 'values.yaml': text }))
      expect(problems).toEqual([])
      expect(sets).toHaveLength(1)
    }),
    { numRuns: 150 },
  )
})

function replaced(value: unknown, [first, ...more]: Path, by: unknown): unknown {
  if (first === undefined) return by
  if (Array.isArray(value)) return value.map((entry, index) => (index === first ? replaced(entry, more, by) : entry))
  return { ...(isJsonObject(value) ? value : {}), [first]: replaced(valueAt(value, first), more, by) }
}

it('refuses any text that helm has not written', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (data) => {
      expect(typeof readHelmSecret(data)).toBe('string')
    }),
  )
})
