// The audit log of the API server: one JSON line for each finished request, and each begun watch, of a user outside the control plane.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The name of the log in the folder of the run. */
export const auditLog = 'audit.log'

const own = ['system:kube-controller-manager', 'system:kube-scheduler', 'system:apiserver', 'system:anonymous']

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: own },
    { level: 'None', userGroups: ['system:nodes', 'system:masters', 'system:serviceaccounts:kube-system'] },
    { level: 'Metadata' },
  ],
}

/** Writes the policy. Returns the flags of the API server. */
export async function auditFlags(folder: string): Promise<Readonly<Record<string, string>>> {
  const file = path.join(folder, 'audit-policy.json')
  await writeFile(file, JSON.stringify(policy))
  return { 'audit-policy-file': file, 'audit-log-path': path.join(folder, auditLog), 'audit-log-maxsize': '1000' }
}
