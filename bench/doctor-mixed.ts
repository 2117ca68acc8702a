// Writes a folder like a public repository, with a known content: manifests, charts, and files that hold no object.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { everyday, hazardTexts } from './doctor-corpus.ts'

/**
 * A folder like those of public repositories: two of three files hold an object, each twentieth has a hazard, and the others are charts,
 * values, workflows, Terraform, data and sources. Returns the folder.
 */
export function writeMixed(into: string, files: number): string {
  const hazards = hazardTexts()
  const [deployment = ''] = everyday
  for (let index = 0; index < files; index++) {
    const nth = index % 20
    const round = Math.floor(index / 20)
    const other = others[nth - 13]
    const [name, text] =
      other ??
      (nth === 12
        ? ['job.yaml', hazards[round % hazards.length] ?? '']
        : nth > 9
          ? ['template.yaml', templated(deployment)]
          : ['manifest.yaml', everyday[(round + nth) % everyday.length] ?? ''])
    const folder = path.join(into, `team-${round % 40}`, `app-${round}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, `${nth}-${name}`), text.replaceAll('NAME', `app-${index}`))
  }
  return into
}

/** The manifest as a template of Helm. */
function templated(text: string): string {
  return `{{- if .Values.enabled }}\n${text.replace(/image: .*/g, 'image: "{{ .Values.image }}:{{ .Values.tag }}"').replace(/replicas: \d+/, 'replicas: {{ .Values.replicas }}')}{{- end }}\n`
}

const workflow = `name: NAME
on: { push: { branches: [main] } }
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          make build
          make test
`

const terraform = `resource "aws_iam_role" "NAME" {
  name = "NAME"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Action = "sts:AssumeRole", Effect = "Allow", Principal = { Service = "ec2.amazonaws.com" } }]
  })
}
`

/** Files without objects, with their names. */
const others: readonly (readonly [name: string, text: string])[] = [
  ['values.yaml', 'replicas: 3\nimage: registry.example/NAME\ntag: 1.14.2\nresources:\n  limits: { memory: 256Mi }\n'],
  ['kustomization.yaml', 'resources:\n  - 0-manifest.yaml\n  - 1-manifest.yaml\n'],
  ['workflow.yml', workflow],
  ['package.json', JSON.stringify({ name: 'NAME', private: true, scripts: { build: 'tsc' } }, undefined, 2)],
  [
    'dashboard.json',
    JSON.stringify({ panels: Array.from({ length: 30 }, (_, id) => ({ id, title: 'NAME', type: 'graph' })) }),
  ],
  ['main.tf', terraform],
  ['main.go', 'package main\n\nfunc main() {}\n'],
]
