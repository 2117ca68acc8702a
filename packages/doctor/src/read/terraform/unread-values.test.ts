// Tests which values of a Helm release in Terraform count as not examined.
import { expect, it } from 'vitest'
import { decodeFile } from '../decode/decode.ts'

const release = (body: string, chart = 'gha-runner-scale-set') =>
  `resource "helm_release" "builds" {\n  name  = "builds"\n  chart = "${chart}"\n${body}\n}\n`
const reasonsOf = (text: string) =>
  decodeFile({ path: 'main.tf', text }).skipped.flatMap(({ reason, intended, line }) =>
    intended ? [] : [`${line} ${reason}`],
  )

it.each<[string, string]>([
  ['  values = [templatefile("${path.module}/pod.txt", { cpu = var.cpu })]', '4 .*templatefile\\("…pod.txt"\\)'],
  ['  values = [yamlencode(var.values)]', '4 .*are in var,'],
  ['  values = local.values', '4 .*are in local,'],
  ['  values = [file("a.yaml"), data.http.values.body]', '4 .*are in data,'],
  ['  values = [file(var.path)]', '4 .*are in file,'],
  ['  set {\n    name  = "template.spec.serviceAccountName"\n    value = "ci"\n  }', '4 .*"set" changes its pod'],
  ['  set = [{ name = "containerMode.type", value = "dind" }]', '4 .*"set" changes its pod'],
  [
    '  dynamic "set" {\n    for_each = var.all\n    content {\n      name  = set.key\n      value = set.value\n    }\n  }',
    '4 .*"set"',
  ],
])('values that are elsewhere do not count as examined: %s', (body, reason) => {
  expect(reasonsOf(release(body))).toEqual([expect.stringMatching(new RegExp(`^${reason}`))])
  expect(reasonsOf(release(body, 'gha-runner-scale-set-controller'))).toEqual([])
  expect(reasonsOf(release(body, 'redis'))).toEqual([])
})

it.each<[string]>([
  [''],
  [
    '  set {\n    name  = "githubConfigUrl"\n    value = var.url\n  }\n  set_sensitive {\n    name = "githubConfigSecret.github_token"\n    value = var.token\n  }',
  ],
  ['  values = [<<-YAML\n    template:\n      spec:\n        containers: [{name: runner, image: a}]\n    YAML\n  ]'],
  [
    '  values = [yamlencode({\n    githubConfigUrl = var.url\n    template = { spec = { containers = [{ name = "runner", image = "a" }] } }\n  })]',
  ],
  ['  values = [templatefile("${path.module}/values.yaml.tftpl", { a = 1 }), file("more.yml")]'],
])('values in the file, or in files of YAML, are read: %s', (body) => expect(reasonsOf(release(body))).toEqual([]))

it('a local value of the same file is read', () => {
  const locals =
    'locals {\n  values = {\n    githubConfigUrl = "https://x"\n    template = { spec = { containers = [{ name = "runner", image = "a" }] } }\n  }\n}\n'
  expect(reasonsOf(release('  values = [yamlencode(local.values)]') + locals)).toEqual([])
})

it.each(['"', '{', '  values = [', '  set {', '  values = file('])('ends with the text: %s', (body) => {
  expect(reasonsOf(release(body).slice(0, -3)).length).toBeGreaterThanOrEqual(0)
})

it("values of ARC's chart without a template are known", () => {
  const kinds = (text: string) => decodeFile({ path: 'arc.yaml', text }).objects.map(({ kind }) => kind)
  expect(kinds('githubConfigUrl: https://x\ncontainerMode: {type: dind}\n')).toEqual(['values'])
  expect(kinds('githubConfigUrl: ${url}\n\ngithubConfigSecret:\n  github_token: ${token}\n')).toEqual(['values'])
  expect(kinds('builds:\n  githubConfigUrl: https://x\n  githubConfigSecret: a\n')).toEqual(['values'])
  expect(kinds('githubConfigUrl: https://x\n')).toEqual(['values'])
  expect(kinds('containerMode: {type: dind}\n')).toEqual([])
})
