// The built program, its demo and the page in a browser, from the first job to the end of the last runner.
// Only here the journal of a real controller, the server and the rendered page meet.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Found } from '../../packages/dashboard/src/model/details.ts'
import type { Snapshot } from '../../packages/dashboard/src/model/page-state.ts'
import { until } from '../cli.ts'
import { type Collected, collect, formsOf } from './collected.ts'
import { type DemoWorld, openDemo } from './demo-world.ts'
import { type OpenedPage, show, useBrowser, waitMs } from './pages.ts'

const printed = 'ghp_0123456789canaryABCDEFGHIJKLMNOPQRST'
const browser = useBrowser()
let demo: DemoWorld
let opened: OpenedPage
let page: Page
const streams: Collected[] = []
const canaries = new Set<string>([printed])

beforeAll(async () => {
  demo = await openDemo(
    [{ name: 'build', prints: [`the token is ${printed}`] }, { name: 'check', code: 1 }, { name: 'publish' }],
    2,
  )
  streams.push(collect(`${demo.origin}/api/changes`))
  opened = await browser.open(demo.origin)
  page = opened.page
})
afterAll(async () => {
  await Promise.all(streams.map(({ close }) => close()))
  await opened?.close()
  await demo?.close()
})

const snapshot = async () => (await (await fetch(`${demo.origin}/api/snapshot`)).json()) as Snapshot
const rows = () => page.locator('table.runner-rows tbody tr:not(.space)')
const row = (...texts: readonly string[]) =>
  texts.reduce((found, hasText) => found.filter({ hasText }), page.locator('table.runner-rows tbody tr'))
const saysAll = (text: string | RegExp) => page.locator('h1', { hasText: text }).waitFor()
const namesOf = async () => (await rows().locator('th').allTextContents()).sort()

describe('while jobs run', () => {
  it('shows the runner of each job, and its log on its own page', async () => {
    await saysAll('No job waits. 2 run.')
    await row('Gate / check', 'Busy').waitFor()
    await row('Gate / build', 'Busy').getByRole('link').click()
    await page.getByRole('log').filter({ hasText: 'the token is ***' }).waitFor()
    const lines = (await page.getByRole('log').textContent())?.split('\n')
    expect(lines).toContain('the token is ***')
    await page.getByText('It has a job.').first().waitFor()
    for (const secret of await demo.secretValues()) canaries.add(secret)
    const { lives } = await snapshot()
    for (const { id } of lives) streams.push(collect(`${demo.origin}/api/log?id=${encodeURIComponent(id)}`))
    await show(page, '#/')
  })

  it('leads to a runner and back by the keyboard alone', async () => {
    await page.evaluate('document.activeElement.blur()')
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("href") ?? ""')
    let steps = 0
    while (!(await focused()).startsWith('#/runner/')) {
      expect(steps++, 'presses of the Tab key without a runner').toBeLessThan(60)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await saysAll('Runner default/')
    await until('the title has the focus', waitMs, () =>
      page.evaluate<boolean>('document.activeElement.id === "title"'),
    )
    await page.keyboard.press('Escape')
    await saysAll('No job waits.')
  })

  it('says why a job stays at the forge, and calms down once it has its runner', async () => {
    const openQuota = await demo.closeQuota(1)
    demo.openGate('build')
    await saysAll(
      /announces 1 of \d+ runners to the forge: the ResourceQuota runners has room for 1 .* may wait at the forge/,
    )
    await openQuota()
    await row('Gate / publish', 'Busy').waitFor()
    await saysAll('No job waits. 2 run.')
  })

  it('shows every runner as gone after the last job', async () => {
    for (const name of ['check', 'publish']) demo.openGate(name)
    await saysAll('No job waits. None runs.')
    for (const name of ['build', 'check', 'publish']) await row(`Gate / ${name}`, 'Gone').waitFor()
    const { sets, lives } = await snapshot()
    expect(sets[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 0, ending: 0 })
    expect(await namesOf()).toEqual(lives.map(({ runner }) => runner).sort())
  })
})

describe('after the last job', () => {
  it('has a bar for each runner that had a job', async () => {
    const box = page.getByRole('region', { name: 'Bars of the runners' })
    await box.scrollIntoViewIfNeeded()
    const { lives } = await snapshot()
    for (const { runner, steps } of lives.filter(({ job }) => job !== null)) {
      const middle = (steps.jobStarted! + steps.jobFinished!) / 2
      await until(`a bar of ${runner}`, waitMs, async () => {
        const { x, y, width, height } = (await box.boundingBox())!
        const lanes = Array.from({ length: Math.ceil((height - 24) / 8) }, (_, index) => y + 24 + index * 8)
        const at = x + width * (1 - (Date.now() - middle) / (15 * 60_000))
        for (const lane of lanes) {
          await page.mouse.move(at, lane)
          if ((await page.locator('.tip strong').allTextContents()).includes(runner)) return true
        }
        return false
      })
    }
    expect(await namesOf()).toEqual(lives.map(({ runner }) => runner).sort())
  })

  it('keeps the page of a runner that is gone, with its job and its exit', async () => {
    await row('Gate / check').getByRole('link').click()
    await saysAll('Runner default/')
    const facts = page.locator('dl.facts')
    await facts.filter({ hasText: 'Failed' }).filter({ hasText: 'local/workflow' }).waitFor()
    await page.getByText('It is gone: its pod does not exist any more.').waitFor()
    await page.getByText('The pod and its log are gone').waitFor()
  })

  it('shows the same filtered runners to who opens the same address', async () => {
    await show(page, '#/')
    await page.getByLabel('Phase').selectOption('gone')
    await page.getByLabel('Repository').selectOption('local/workflow')
    await page.getByLabel('Text', { exact: true }).fill('publish')
    await page.getByText('1 runner', { exact: true }).waitFor()
    const address = page.url()
    expect(address).toMatch(/#\/\?phase=gone&repository=local%2Fworkflow&text=publish$/)
    const other = await browser.open(address)
    const found = other.page.locator('table.runner-rows tbody th')
    await found.first().waitFor()
    expect(await found.allTextContents()).toEqual(await namesOf())
    expect(await other.page.getByLabel('Phase').inputValue()).toBe('gone')
    expect(other.faults).toEqual([])
    await other.close()
  })

  it.each(['its name', 'the address of its run'])('finds a job by %s', async (by) => {
    const life = (await snapshot()).lives.find(({ job }) => job?.name === 'Gate / check')!
    const text = by === 'its name' ? 'Gate / check' : life.job!.url!
    expect(text).toMatch(/\S/)
    const { jobs } = (await (
      await fetch(`${demo.origin}/api/find?${new URLSearchParams({ q: text })}`)
    ).json()) as Found
    expect(jobs.map((found) => found.life?.id)).toContain(life.id)
    await page.getByLabel('Where is my job?').fill(text)
    await page.getByRole('button', { name: 'Find' }).click()
    const answer = page.locator('article.answer', { hasText: 'Gate / check' })
    await answer.getByRole('link', { name: `Runner ${life.runner}` }).click()
    await saysAll(`Runner ${life.id}`)
  })
})

describe('in all that was served', () => {
  it('is no secret of the cluster, and no token that a job printed', async () => {
    const { lives, sets } = await snapshot()
    const id = encodeURIComponent(lives[0]!.id)
    const paths = ['', 'app.js', 'api/snapshot', 'api/trends', 'api/costs', 'api/find?q=Gate', `api/runner?id=${id}`]
    const bodies = await Promise.all(paths.map(async (one) => (await fetch(`${demo.origin}/${one}`)).text()))
    const served = [...bodies, ...(await opened.bodies()), ...streams.map(({ text }) => text())].join('\n')
    // The search would find nothing in nothing.
    expect(served).toContain(sets[0]!.id)
    expect(served).toContain('the token is ***')
    expect(canaries.size).toBeGreaterThan(3)
    const found = [...canaries].filter((secret) => formsOf(secret).some((form) => served.includes(form)))
    expect(found).toEqual([])
  })

  it('is no error, no violation of the content policy, and no request to another host', () => {
    expect(opened.faults).toEqual([])
  })
})
