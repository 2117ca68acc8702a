// Every rule, in the order of their codes.
import type { Rule } from '../rule.ts'
import { rule as daemonAsBlockingInit } from './daemon-as-blocking-init.ts'
import { rule as dindOrdinaryContainer } from './dind-ordinary-container.ts'
import { rule as initRestartPolicyInvalid } from './init-restart-policy-invalid.ts'
import { rule as retryReusesRegistration } from './retry-reuses-registration.ts'
import { rule as ttlMissing } from './ttl-missing.ts'
import { rule as ttlUnreachable } from './ttl-unreachable.ts'

export const catalogue: readonly Rule[] = [
  dindOrdinaryContainer,
  initRestartPolicyInvalid,
  daemonAsBlockingInit,
  ttlMissing,
  ttlUnreachable,
  retryReusesRegistration,
]
