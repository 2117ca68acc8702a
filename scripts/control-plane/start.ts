// Starts etcd, the API server, the controller manager and the scheduler on loopback, with free ports, tokens of their own, and a folder that goes with them.
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/kubernetes/connect.ts'
import { loadKubeconfig } from '../../src/kubernetes/kubeconfig.ts'
import { noBody } from '../../src/lib/http.ts'
import { systemClock } from '../../src/lib/system.ts'

export type ControlPlane = {
  /** Its user may do everything. */
  readonly kubeconfig: string
  /** Ends the processes and removes every file. */
  close(): Promise<void>
}

type Component = { readonly name: string; readonly child: ChildProcess; readonly log: string }

/** Milliseconds: four seconds are usual on two idle cores. */
const patience = 120_000

/** Rejects when a component ends, or none answers in time; then nothing is left either. */
export async function startControlPlane(program: string, signal: AbortSignal): Promise<ControlPlane> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-control-plane-'))
  const components: Component[] = []
  const close = async () => {
    // At once and without a grace: nothing of it is kept.
    await Promise.all(components.toReversed().map(({ child }) => end(child)))
    await rm(folder, { recursive: true, force: true })
  }
  const start = (name: string, flags: Readonly<Record<string, string>>) => {
    const log = path.join(folder, `${name}.log`)
    const file = openSync(log, 'w')
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    // The components end with their standard input, so also when this process is killed.
    const child = spawn(program, [name, ...args], { stdio: ['pipe', file, file] })
    closeSync(file)
    components.push({ name, child, log })
  }
  try {
    const plan = await layOut(folder)
    start('etcd', plan.etcd)
    start('apiserver', plan.apiServer)
    const ready = () => answers(plan.admin, '/readyz')
    await until(ready, components, signal)
    start('controller-manager', plan.controllers)
    start('scheduler', plan.scheduler)
    const accounted = () => answers(plan.admin, '/api/v1/namespaces/default/serviceaccounts/default')
    await until(accounted, components, signal)
    return { kubeconfig: plan.admin, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Writes the keys, tokens and kubeconfigs, and says with which flags each component starts. */
async function layOut(folder: string) {
  const [client = 0, peer = 0, secure = 0] = await freePorts(3)
  const at = (name: string) => path.join(folder, name)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const token = () => randomBytes(24).toString('hex')
  const tokens = { admin: token(), controllers: token(), scheduler: token() }
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
  ]
  const secret = { mode: 0o600 }
  await writeFile(at('accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  await writeFile(at('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), secret)
  await writeFile(at('tokens.csv'), `${users.join('\n')}\n`, secret)
  await writeFile(at('kubeconfig'), kubeconfig(tokens.admin), secret)
  await writeFile(at('controllers.kubeconfig'), kubeconfig(tokens.controllers), secret)
  await writeFile(at('scheduler.kubeconfig'), kubeconfig(tokens.scheduler), secret)
  const worker = (name: string) => ({ kubeconfig: at(name), 'secure-port': '0', 'leader-elect': 'false' })
  const etcd = `http://127.0.0.1:${client}`
  return {
    admin: at('kubeconfig'),
    etcd: { 'data-dir': at('etcd'), 'client-url': etcd, 'peer-url': `http://127.0.0.1:${peer}` },
    apiServer: {
      'etcd-servers': etcd,
      'bind-address': '127.0.0.1',
      'secure-port': String(secure),
      'advertise-address': '127.0.0.1',
      'endpoint-reconciler-type': 'none',
      // Where its own certificate comes to stand.
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

/** Waits for the condition, and says with the end of its log which component has ended before. */
async function until(
  condition: () => Promise<boolean>,
  components: readonly Component[],
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + patience
  while (!(await condition())) {
    signal.throwIfAborted()
    const ended = components.find(({ child }) => child.exitCode !== null || child.signalCode !== null)
    const late = performance.now() > deadline ? components.at(-1) : undefined
    const blamed = ended ?? late
    if (blamed) {
      const words = (await readFile(blamed.log, 'utf8')).slice(-3000)
      throw new Error(`${blamed.name} ${ended ? 'has ended' : `is not ready after ${patience / 1000} s`}:\n${words}`)
    }
    await sleep(100)
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
    // Not yet: no certificate, nobody listens, or not ready.
    return false
  }
}

/** Held open together, so that they are all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = servers.map(
    (server) =>
      new Promise<number>((resolve, reject) => {
        server.on('error', reject)
        server.listen(0, '127.0.0.1', () => {
          const address = server.address()
          resolve(typeof address === 'object' && address ? address.port : 0)
        })
      }),
  )
  const found = await Promise.all(ports)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return found
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}
