// Starts etcd, the API server, the controller manager and the scheduler on 127.0.0.1, with free ports, new tokens and a temporary folder.
// In a private network namespace the API server can also have a fixed port and more addresses.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { noBody } from '@dayfly/kit/http'
import { systemClock } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { createComponents } from './components.ts'
import { freePorts } from './free-ports.ts'

export type ControlPlane = {
  /** The path of a kubeconfig whose user may do everything. */
  readonly kubeconfig: string
  /** The path of the kubeconfig for the kubelet of the node. The name of a node is its address: one of `nodeNames`. */
  readonly nodeKubeconfig: (node: string) => string
  /** The address of etcd, which serves its metrics there. */
  readonly etcd: string
  /** The process of a component. */
  readonly pid: (component: 'etcd' | 'apiserver' | 'controller-manager') => number
  /** Kills the processes and removes every file. */
  close(): Promise<void>
}

type Flags = Readonly<Record<string, string>>
export type ControlPlaneOptions = {
  /** The port of the API server. The default is a free one. */
  readonly port?: number
  /** More flags. They replace those of the same name. */
  readonly apiServer?: Flags
  readonly controllers?: Flags
  /** The default is all workers. Without the controller manager, nothing creates the ServiceAccount of a namespace. */
  readonly workers?: 'none' | 'controllers'
}

/** The nodes that may join. */
export const nodeNames = ['127.0.0.1', '127.0.0.2'] as const

/** Starts the components. If one ends or does not answer in time, it rejects, after it has removed everything. */
export async function startControlPlane(
  program: string,
  signal: AbortSignal,
  more: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-control-plane-'))
  const components = createComponents(folder)
  const close = async () => {
    await components.end()
    await rm(folder, { recursive: true, force: true })
  }
  const start = (name: string, flags: Flags) =>
    components.start(name, [program, name, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)])
  try {
    const plan = await layOut(folder, more.port)
    start('etcd', plan.etcd)
    start('apiserver', { ...plan.apiServer, ...more.apiServer })
    const ready = () => answers(plan.admin, '/readyz')
    await components.until(ready, signal)
    if (more.workers !== 'none') {
      start('controller-manager', { ...plan.controllers, ...more.controllers })
      if (more.workers !== 'controllers') start('scheduler', plan.scheduler)
      const accounted = () => answers(plan.admin, '/api/v1/namespaces/default/serviceaccounts/default')
      await components.until(accounted, signal)
    }
    return {
      kubeconfig: plan.admin,
      nodeKubeconfig: plan.node,
      etcd: plan.etcd['client-url'],
      pid: components.pid,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Writes the keys, tokens and kubeconfigs. Returns the flags of each component. */
async function layOut(folder: string, port: number | undefined) {
  const [client = 0, peer = 0, free = 0] = await freePorts(3)
  const secure = port ?? free
  const at = (name: string) => path.join(folder, name)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const token = () => randomBytes(24).toString('hex')
  const tokens = { admin: token(), controllers: token(), scheduler: token() }
  const nodes = nodeNames.map((name) => ({ name, token: token(), file: at(`${name}.kubeconfig`) }))
  const kubeconfig = (token: string) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'it',
          cluster: { server: `https://127.0.0.1:${secure}`, 'certificate-authority': at('apiserver.crt') },
        },
      ],
      users: [{ name: 'user', user: { token } }],
      contexts: [{ name: 'it', context: { cluster: 'it', user: 'user' } }],
      'current-context': 'it',
    })
  const users = [
    `${tokens.admin},dayfly-tests,1,system:masters`,
    `${tokens.controllers},system:kube-controller-manager,2`,
    `${tokens.scheduler},system:kube-scheduler,3`,
    ...nodes.map(({ name, token }) => `${token},system:node:${name},node-${name},system:nodes`),
  ]
  const secret = { mode: 0o600 }
  await writeFile(at('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  await writeFile(at('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), secret)
  await writeFile(at('tokens.csv'), `${users.join('\n')}\n`, secret)
  await writeFile(at('kubeconfig'), kubeconfig(tokens.admin), secret)
  await writeFile(at('controllers.kubeconfig'), kubeconfig(tokens.controllers), secret)
  await writeFile(at('scheduler.kubeconfig'), kubeconfig(tokens.scheduler), secret)
  for (const { file, token } of nodes) await writeFile(file, kubeconfig(token), secret)
  const worker = (name: string) => ({ kubeconfig: at(name), 'secure-port': '0', 'leader-elect': 'false' })
  const etcd = `http://127.0.0.1:${client}`
  return {
    admin: at('kubeconfig'),
    node: (name: string) => at(`${name}.kubeconfig`),
    etcd: { 'data-dir': at('etcd'), 'client-url': etcd, 'peer-url': `http://127.0.0.1:${peer}` },
    apiServer: {
      'etcd-servers': etcd,
      'bind-address': '127.0.0.1',
      'secure-port': String(secure),
      'advertise-address': '127.0.0.1',
      'endpoint-reconciler-type': 'none',
      // The API server writes its own certificate here.
      'cert-dir': folder,
      'token-auth-file': at('tokens.csv'),
      'authorization-mode': 'Node,RBAC',
      'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
      'service-account-key-file': at('accounts.pub'),
      'service-account-signing-key-file': at('accounts.key'),
      'service-cluster-ip-range': '10.0.0.0/24',
      'allow-privileged': 'true',
    },
    scheduler: worker('scheduler.kubeconfig'),
    controllers: {
      ...worker('controllers.kubeconfig'),
      'use-service-account-credentials': 'true',
      'service-account-private-key-file': at('accounts.key'),
      'root-ca-file': at('apiserver.crt'),
    },
  }
}

async function answers(kubeconfig: string, url: string): Promise<boolean> {
  try {
    const cluster = await connect(await loadKubeconfig(kubeconfig), systemClock())
    const request = { method: 'GET', path: url, query: {}, headers: {}, body: noBody, expect: 'whole' } as const
    return await cluster
      .transport(request)
      .then(({ status }) => status === 200)
      .finally(() => cluster.close())
  } catch {
    // The server has no certificate yet, does not listen yet, or is not ready.
    return false
  }
}
