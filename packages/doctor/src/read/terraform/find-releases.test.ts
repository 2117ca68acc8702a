// Helm releases in Terraform, and the findings of the rules on ARC's charts.
import { expect, it } from 'vitest'
import { decodeFiles, examine } from '../../engine/examine.ts'
import { catalogue } from '../../rules/catalogue.ts'
import { findReleases } from './find-releases.ts'

const charts = 'oci://ghcr.io/actions/actions-runner-controller-charts'
const resource = (name: string, chart: string, more = '') => `resource "helm_release" "${name}" {
  name       = "${name}"
  repository = "${charts}"
  chart      = "${chart}" # of ARC
${more}
  values = [yamlencode({ replicas = 1 }), <<-EOT
    a: }
  EOT
  ]
  set {
    name  = "version"
    value = "chart"
  }
}
`
const controller = resource('arc', 'gha-runner-scale-set-controller', '  version = "0.14.2"')
const set = (more: string) => resource('builds', 'gha-runner-scale-set', more)

function saidOf(...texts: readonly (readonly [string, string])[]) {
  const { findings, coverage } = examine(decodeFiles(texts.map(([path, text]) => ({ path, text }))), catalogue)
  expect(coverage.skipped).toEqual([])
  return findings.map(({ code, place, confidence }) => `${code} ${place?.file}:${place?.line} ${confidence}`)
}

it('reads literal values', () => {
  const text = `# resource "helm_release" "no" { chart = "gha-runner-scale-set" }
${resource('other', 'redis')}${set('  version = var.version\n  provider = helm.prod\n  count = 2\n  depends_on = [module.a, module.b]')}`
  const { node, unknown } = findReleases(text, 'infra/main.tf') ?? {}
  expect(node?.toJSON()).toEqual({
    name: 'infra/main.tf',
    helm_release: [
      {
        name: 'builds',
        chart: 'gha-runner-scale-set',
        version: expect.stringMatching(/^\uE000$/),
        needs: ['[module.a, module.b]'],
        condition: '2',
        kubeContext: 'infra/helm.prod',
      },
    ],
  })
  expect(unknown?.map(({ start, end }) => text.slice(start, end))).toEqual(['var.version'])
  expect(findReleases(resource('other', 'redis'), 'main.tf')).toBeUndefined()
})

it.each(['"', '{', 'resource "helm_release" "a" {', 'resource "helm_release" "a" { chart = "gha-runner-scale-set'])(
  'ends with the text, also inside an open construct: %s',
  (text) => {
    expect(findReleases(`${text}\n# helm_release gha-runner-scale-set`, 'a.tf')?.end ?? 0).toBeGreaterThanOrEqual(0)
  },
)

it('finds a set that does not depend on its controller, in a file or a folder', () => {
  const same = set('  version = "0.14.0"')
  expect(saidOf(['main.tf', controller + same])).toEqual(['FIN501 main.tf:15 medium'])
  expect(saidOf(['a/arc.tf', controller], ['a/sets.tf', same])).toEqual(['FIN501 a/sets.tf:1 medium'])
  expect(saidOf(['a/arc.tf', controller], ['b/sets.tf', same])).toEqual([])
  expect(saidOf(['main.tf', controller + set('  provider = helm.other')])).toEqual([])
  expect(saidOf(['main.tf', controller + set('  depends_on = [helm_release.arc]')])).toEqual([])
  expect(saidOf(['main.tf', controller + set('  namespace = helm_release.arc.namespace')])).toEqual([])
  expect(saidOf(['main.tf', controller + set('  count = var.on ? 1 : 0')])).toEqual(['FIN501 main.tf:15 low'])
})

it('finds a set of another version than its controller', () => {
  const old = set('  version    = "0.13.1"   # old\n  depends_on = [helm_release.arc]')
  expect(saidOf(['main.tf', controller + old])).toEqual(['ARC404 main.tf:19 high'])
  expect(saidOf(['a/main.tf', controller], ['b/main.tf', old])).toEqual([])
  expect(saidOf(['main.tf', controller + old.replace('"0.13.1"', 'var.version')])).toEqual([])
})
