// Checks the accessibility of the page that is shown: in both themes, on a screen and on a phone.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Checks the page that is shown in both widths and themes. Only colours differ by theme. */
export async function checkAccess(page: Page): Promise<void> {
  await page.evaluate(axeSource)
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 900 })
    await useTheme(page, 'light')
    expect(await widthOf(page), `pixels of the document at ${width} px`).toBeLessThanOrEqual(width)
    expect(await violations(page, {})).toEqual([])
    await useTheme(page, 'dark')
    expect(await violations(page, { runOnly: ['color-contrast'] })).toEqual([])
  }
}

/** A colour that still changes to the other theme has no contrast of its own. */
async function useTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth')
}

async function violations(page: Page, options: RunOptions): Promise<readonly string[]> {
  const given = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const { violations: found } = await page.evaluate<AxeResults>(`axe.run(${given})`)
  // One rule can find a hundred elements with one cause.
  return found.flatMap(({ id, nodes }) =>
    nodes.slice(0, 5).map(({ target, any }) => `${id}: ${target.join(' ')} (${any[0]?.message ?? ''})`),
  )
}
