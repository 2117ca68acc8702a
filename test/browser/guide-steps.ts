// Reads the questions of docs/guide/dashboard.md, and does what their steps say.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export type Question = { readonly title: string; readonly steps: readonly string[] }

/** Returns the questions below "Find the answer in a minute", each with its numbered sentences. */
export function questionsOf(markdown: string): readonly Question[] {
  const [, part = ''] = /^## Find the answer in a minute\n([\s\S]*?)(?=^## )/m.exec(markdown) ?? []
  return part
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const [title = '', ...lines] = text.split('\n')
      return { title, steps: lines.flatMap((line) => /^\d+\. (.*)$/.exec(line)?.[1] ?? []) }
    })
}

type Deed = (page: Page, ...names: readonly string[]) => Promise<string>

/** Each form of a step. A deed returns what the reader sees, if the step says to read. */
const forms: readonly (readonly [form: RegExp, deed: Deed])[] = [
  [/^Open the page\.$/, async () => ''],
  [/^Click "(.+)"\.$/, (page, name = '') => click(page, name, true)],
  [/^Click the link that begins with "(.+)"\.$/, (page, name = '') => click(page, name, false)],
  [
    /^Enter "(.+)" in the field "(.+)"\.$/,
    async (page, text = '', name = '') => {
      await page.getByLabel(name).fill(text)
      await page.keyboard.press('Enter')
      return ''
    },
  ],
  [
    /^Read the line "(.+)"\.$/,
    (page, name = '') => textOf(page.locator('p').filter({ has: page.locator('strong', { hasText: name }) })),
  ],
  [/^Read the section "(.+)"\.$/, (page, name = '') => textOf(page.getByRole('region', { name }))],
  [/^Read the tile "(.+)"\.$/, (page, name = '') => textOf(page.locator('.tile', { hasText: name }).locator('dd'))],
  [
    /^Read the first row of the table "(.+)"\. Its column "(.+)" has the (?:time|amount)\.$/,
    async (page, name = '', column = '') => {
      const row = page.getByRole('region', { name }).locator('tbody tr')
      const head = await textOf(row.locator('th'))
      return `${head}: ${await textOf(row.locator(`td[data-name="${column}"]`))}`
    },
  ],
]

/** Does one step. Throws for a sentence that has none of the forms. */
export async function follow(page: Page, step: string): Promise<string> {
  for (const [form, deed] of forms) {
    const match = form.exec(step)
    if (match) return deed(page, ...match.slice(1))
  }
  throw new Error(`the guide has a step in another form: ${step}`)
}

async function click(page: Page, name: string, exact: boolean): Promise<string> {
  const pattern = new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}${exact ? '$' : ''}`)
  await page.getByRole('link', { name: pattern }).first().click()
  return ''
}

async function textOf(found: ReturnType<Page['locator']>): Promise<string> {
  const text = (await found.first().textContent())?.trim() ?? ''
  expect(text).not.toBe('')
  return text
}
