// Finds the browser of the tests on this machine, and starts it without a window.
import { accessSync, constants } from 'node:fs'
import { chromium } from 'playwright-core'

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Returns the path of the program. Throws a sentence that says what to install. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment['DAYFLY_CHROMIUM']
  const found = (given === undefined ? usual : [given]).find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    given === undefined
      ? 'Chromium is missing: install it (Debian: apt-get install chromium), or set DAYFLY_CHROMIUM to its path.'
      : `DAYFLY_CHROMIUM is ${given}, which is no program.`,
  )
}

/** Chromium refuses to run as root with its sandbox. The tests open only pages of Dayfly. */
export function launchOptions() {
  const isRoot = process.getuid?.() === 0
  return { executablePath: findChromium(), headless: true, timeout: 120_000, args: isRoot ? ['--no-sandbox'] : [] }
}

/** Starts a browser for one script. */
export function launchChromium(...more: readonly string[]) {
  const { args, ...options } = launchOptions()
  return chromium.launch({ ...options, args: [...args, ...more] })
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
