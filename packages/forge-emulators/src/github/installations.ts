// The installations of the emulated Apps in use: their tokens, and changes of them over the control API.
import { budgetName, type Installation, type InstallationChange } from './apps.ts'
import type { Emulation } from './emulation.ts'
import { restError } from './refusal.ts'

/** Returns false if the installation does not exist. */
export function changeInstallation(emulation: Emulation, id: number, change: InstallationChange): boolean {
  const installation = emulation.installations.get(id)
  if (!installation) return false
  const { suspended = installation.isSuspended, removed = installation.isRemoved, revokeTokens, remaining } = change
  installation.isSuspended = suspended
  installation.isRemoved = removed
  if (revokeTokens) installation.serial++
  const { budgets, knobs, clock } = emulation
  if (remaining !== undefined) budgets.leave(budgetName(installation), remaining, knobs.restBudget, clock.now())
  return true
}

const installationToken = /^ghs_/

/** Returns the installation of its token; undefined for a token of another kind. Throws GitHub's refusal for one that is not valid. */
export function installationOfToken(emulation: Emulation, token: string): Installation | undefined {
  if (!installationToken.test(token)) return undefined
  const claims = emulation.tokens.read(token.replace(installationToken, ''), emulation.clock.now())
  const installation = emulation.installations.get(claims?.installation ?? 0)
  if (claims?.kind !== 'installation' || !installation || installation.isRemoved)
    throw restError(401, 'Bad credentials')
  if (claims.serial !== installation.serial) throw restError(401, 'Bad credentials')
  if (installation.isSuspended) throw restError(403, 'This installation has been suspended')
  return installation
}
