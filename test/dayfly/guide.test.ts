// Proves that test/kubernetes/node/guide.test.ts runs each command of the guide, test/kubernetes/guide-local.test.ts those of the page
// that needs no cluster, test/kubernetes/guide-gitea.test.ts those of the page about Gitea, and test/kubernetes/node/release.test.ts those of
// the page about releases.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { valueAt } from '@dayfly/kit/read-json'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  commandsOf,
  giteaPage,
  guideBlocks,
  guidePages,
  guideSteps,
  guideText,
  localPage,
  otherPages,
  releasePage,
  unrunPages,
} from './guide-pages.ts'

const root = path.resolve(import.meta.dirname, '../..')
const programs = 'cosign|crane|ctr|curl|dayfly|docker|git|helm|kubectl|npm|npx|skopeo'

/** Commands that something else runs: its file, and what the file contains. */
const elsewhere: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'npm ci': ['.ci/run', 'npm ci'],
  'dayfly cluster': ['docs/guide/try-without-a-cluster.md', 'npx dayfly cluster'],
  'crane registry serve': ['test/kubernetes/node/release-stage.ts', "'registry', 'serve'"],
  'npm run image -- --architecture arm64': ['test/kubernetes/chart/image.test.ts', "? 'arm64'"],
  'helm template': ['scripts/chart/manifests.ts', 'template'],
  // The chart's container.
  'dayfly controller': ['deploy/chart/templates/_pod.tpl', '- controller'],
  'dayfly demo --forge gitea': ['test/processes/demo-gitea.test.ts', "'demo', '--forge', 'gitea'"],
  // The probe of the sidecar, and what a job may run in it.
  'docker info': ['packages/runner-set/src/core/docker-sidecar.ts', "['docker', 'info']"],
  'docker run -v': ['test/controller/docker-runner.test.ts', 'docker'],
}

const pages = [...guidePages, localPage, giteaPage, releasePage] as const

const all = pages.flatMap((page) =>
  guideSteps(page).flatMap((step) => (step.does === 'run' ? commandsOf(step.block.text) : [])),
)

describe('the test on a real node', () => {
  it('knows each page of docs/guide', () => {
    const files = readdirSync(path.join(root, 'docs/guide')).map((file) => file.replace(/\.md$/, ''))
    expect(files.sort()).toEqual([...pages, ...unrunPages, ...Object.keys(otherPages)].sort())
    for (const test of Object.values(otherPages)) expect(existsSync(path.join(root, test))).toBe(true)
  })

  it.each(pages)('runs each block of %s.md, or applies it, or compares it with the output of the commands', (page) => {
    const steps = guideSteps(page)
    const used = steps.flatMap((step) => [step.block, ...(step.does === 'run' && step.output ? [step.output] : [])])
    expect(used.map(({ line }) => line)).toEqual(guideBlocks(page).map(({ line }) => line))
  })

  it.each(unrunPages)('has no program for %s.md, which says so and sets only values that the chart has', (page) => {
    expect(guideText(page)).toMatch(/^We did not run the commands of these three tools/m)
    const blocks = guideBlocks(page).map(({ text }) => commandsOf(text))
    expect(blocks.map((block) => block.map((command) => command.split(' ')[0]))).toEqual(
      ['kind', 'k3d', 'minikube'].map((tool) => [tool, tool, 'helm']),
    )
    const values = parse(readFileSync(path.join(root, 'deploy/chart/values.yaml'), 'utf8'))
    for (const [, key = ''] of blocks
      .flat()
      .join('\n')
      .matchAll(/--set "?([\w.]+)=/g))
      expect([key, valueAt(values, ...key.split('.'))]).toEqual([key, expect.anything()])
    expect(values.image).toMatchObject({ repository: 'localhost/dayfly', pullPolicy: 'IfNotPresent' })
    expect(values.watchNamespaces).toEqual([])
  })

  it.each(pages)('runs the inline commands of %s.md, too', (page) => {
    const prose = guideText(page).replace(/^(\s*)```[\s\S]*?^\s*```$/gm, '')
    const named = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
    const commands = named.filter((code) => new RegExp(`^(?:\\w+=\\S+ )*(?:${programs}) `).test(code))
    expect(commands.filter((command) => !isRun(command))).toEqual([])
  })

  it('installs and removes without a cluster by the very commands of the other pages', () => {
    const others = guidePages.flatMap((page) => guideBlocks(page).map(({ text }) => text))
    const own = guideBlocks(localPage).filter(({ language, text }) => language === 'sh' && !others.includes(text))
    expect(own.map(({ text }) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      ...['npx dayfly', 'npx dayfly', 'export PATH="$PWD/node_modules/.bin:$PATH"\nexport', 'curl -s'],
      ...['kubectl -n', 'rm -f'],
    ])
  })

  it('reads continued lines and documents as one command', () => {
    expect(commandsOf('a \\\n  --b\n\ncat > f <<EOF\nx: 1\nEOF\nc')).toEqual(['a --b', 'cat > f <<EOF', 'c'])
  })

  it('takes no command as run that no block contains', () => {
    expect(['dayfly status', 'dayfly explain NAME', 'npm ci'].map(isRun)).toEqual([true, true, true])
    expect(['dayfly stat', 'dayfly explode NAME', 'kubectl delete node NAME'].map(isRun)).toEqual([false, false, false])
  })
})

/** Whether a block contains the words of the command, in their order. A word in capitals stands for any word. */
function isRun(command: string): boolean {
  const [file, text = ''] = elsewhere[command] ?? []
  if (file !== undefined) return readFileSync(path.join(root, file), 'utf8').includes(text)
  const words = wordsOf(command)
  return all.some((one) => {
    const given = wordsOf(one)
    return words.every((word, index) => (/^[A-Z]+$/.test(word) ? given[index] !== undefined : given[index] === word))
  })
}

function wordsOf(command: string): readonly string[] {
  return command.split(/\s+/)
}
