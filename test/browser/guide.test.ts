// Follows docs/guide/dashboard.md. Only this test sees that a button of the guide has another name on the page.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { valueAt } from '@dayfly/kit/read-json'
import { systemClock } from '@dayfly/kit/system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parsePrices } from '../../packages/controller/src/page/prices.ts'
import { runCli } from '../cli.ts'
import { commandsOf } from '../dayfly/guide-pages.ts'
import { follow, questionsOf } from './guide-steps.ts'
import { createGuideWorld, guidePrices } from './guide-world.ts'
import { serveJournal } from './journal-server.ts'
import { useBrowser } from './pages.ts'

const root = path.resolve(import.meta.dirname, '../..')
const guide = readFileSync(path.join(root, 'docs/guide/dashboard.md'), 'utf8')
const browser = useBrowser()
let server: Awaited<ReturnType<typeof serveJournal>>

beforeAll(async () => {
  const clock = systemClock()
  server = await serveJournal(createGuideWorld(clock.now()), clock, guidePrices)
})
afterAll(() => server?.close())

/** The answers that a reader of each question finds, step by step. */
const answers: Readonly<Record<string, readonly RegExp[]>> = {
  'Why does a set start nothing?': [/Raise the quota/, /ResourceQuota.*no room/],
  'Which repository waits longest?': [/^data\/models: \d+ min/],
  'Where did my job run, and why did it fail?': [/Raise the memory limit/, /Started.*Ended/],
  'What do idle runners cost?': [/^0\.0\d EUR/, /^ci\/linux: 0\.0\d EUR/],
}

describe('the guide answers', () => {
  const questions = questionsOf(guide)

  it('all questions of this test', () => {
    expect(questions.map(({ title }) => title)).toEqual(Object.keys(answers))
  })

  it.each(questions)('$title', async ({ title, steps }) => {
    const { page, faults, close } = await browser.open(server.origin)
    const read: string[] = []
    for (const step of steps) {
      const text = await follow(page, step)
      if (text !== '') read.push(text)
    }
    expect(read).toEqual((answers[title] ?? []).map((answer) => expect.stringMatching(answer)))
    expect(faults).toEqual([])
    await close()
  })
})

const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = '']) => ({
  language,
  text,
}))
const commands = blocks.flatMap(({ language, text }) => (language === 'sh' ? commandsOf(text) : []))

it.each(commands.filter((command) => command.startsWith('dayfly ')))(
  'the program has what the guide gives: %s',
  async (command) => {
    const [, name = '', ...rest] = command.split(' ')
    const { stdout } = await runCli([name, '--help'])
    for (const option of rest.filter((word) => word.startsWith('-'))) expect(stdout).toMatch(new RegExp(`${option}\\b`))
  },
)

it('sets only values that the chart has, and gives prices that the controller takes', () => {
  const values = parse(readFileSync(path.join(root, 'deploy/chart/values.yaml'), 'utf8'))
  const keys = [...guide.matchAll(/`?(dashboard\.\w+)\b(?!\.md)/g)].map(([, key = '']) => key)
  expect(keys.length).toBeGreaterThan(3)
  for (const key of keys) expect([key, valueAt(values, ...key.split('.'))]).toEqual([key, expect.anything()])
  const [prices] = blocks.filter(({ language }) => language === 'json')
  expect(parsePrices(prices!.text, 'the guide')).toMatchObject({ currency: 'EUR', nodes: [{ cpuHour: 0.05 }] })
})
