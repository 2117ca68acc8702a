// Init containers that never end, and those that only look like it.
import { expect, test } from 'vitest'
import { blockingInit } from './blocking-init.ts'
import { viewPods } from './pod-views.ts'

type Fields = Readonly<Record<string, unknown>>

function helperIn(init: Fields, before: readonly Fields[] = [], spec: Fields = {}) {
  const initContainers = [...before, { name: 'it', image: 'registry.example/tools:1', ...init }]
  const containers = [{ name: 'work', image: 'registry.example/work:1', command: ['sh', '-c', 'work; pkill nginx'] }]
  const raw = { spec: { restartPolicy: 'Never', initContainers, containers, ...spec } }
  const object = { apiVersion: 'v1', kind: 'Pod', namespace: undefined, name: 'p' }
  const [pod] = viewPods([{ object, document: 0, raw }])
  const container = pod?.containers.find(({ name }) => name === 'it')
  if (!pod || !container) throw new Error('no pod')
  return blockingInit(container, pod)
}
const script = (text: string): Fields => ({ command: ['/bin/sh', '-ec', text] })

test.each<Fields>([
  { image: 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.0', args: ['--structured-logs', 'a:b:c'] },
  { image: 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.0', args: ['acme:europe-west1:main'] },
  { command: ['/cloud_sql_proxy', '-instances=a:b:c=tcp:5432'] },
  { image: 'envoyproxy/envoy:v1.34.0', args: ['-c', '/etc/envoy.yaml'] },
  { image: 'redis' },
  { image: 'redis:7', args: ['--save', ''] },
  { image: 'redis:7', args: ['redis-server', '/etc/redis.conf'] },
  { image: 'docker.io/library/nginx:1.29@sha256:00' },
  { image: 'nginx', command: ['nginx', '-g', 'daemon off;'] },
  { image: 'postgres:17', env: [{ name: 'POSTGRES_PASSWORD', value: 'a' }] },
  { image: 'registry:3' },
  { command: ['registry', 'serve', '/etc/registry.yml'] },
  { command: ['forgejo-runner', 'daemon', '--config', '/config/config.yaml'] },
  { command: ['forgejo-runner', '--config', '/config/config.yaml', 'daemon'] },
  { image: 'registry.example/gitea/act_runner:1', args: ['/usr/local/bin/act_runner', 'daemon'] },
  { command: ['gitlab-runner', 'run', '--user=ci'] },
  script('forgejo-runner register --no-interactive && exec forgejo-runner daemon'),
  { command: ['sleep', 'infinity'] },
  { command: ['tail', '-f', '/dev/null'] },
  script('mkdir -p /logs; exec tail -F /logs/app.log'),
  script('cp /a /b && sleep infinity'),
  script('ready || echo no; sleep infinity'),
  script('sleep infinity & wait'),
  script('nginx -g "daemon off;" & wait $!'),
  script('while true; do date; sleep 30; done'),
  script('while :\ndo\n  echo waiting\n  sleep 1\ndone'),
])('certainly never ends: %j', (init) => {
  expect(helperIn(init)?.confidence).toBe('high')
})

test.each<Fields>([
  { image: 'registry.example/team/redis:1' },
  { image: 'cr.fluentbit.io/fluent/fluent-bit:4.0' },
  { command: ['fluent-bit', '-c', '/etc/fluent-bit.conf'] },
  script('set -e; until false; do sleep 60; done'),
  script('while true; do sync-files /a /b; sleep 10; done'),
])('never ends unless a command in it ends it: %j', (init) => {
  expect(helperIn(init)?.confidence).toBe('medium')
})

test.each<Fields>([
  {},
  { command: ['forgejo-runner', 'register', '--no-interactive'] },
  { command: ['forgejo-runner', 'one-job'] },
  { command: ['act_runner', 'generate-config'] },
  { command: ['act_runner', 'daemon', '--once'] },
  { command: ['gitlab-runner', 'register'] },
  { command: ['gitlab-runner', 'run', '--max-builds', '1'] },
  { image: 'data.forgejo.org/forgejo/runner:12' },
  { image: 'hashicorp/vault:1.20', args: ['agent', '-config=/c'] },
  { image: 'hashicorp/vault:1.20', args: ['agent', '-exit-after-auth', '-config=/c'] },
  { image: 'docker.io/istio/proxyv2:1.27.0', args: ['istio-iptables', '-p', '15001', '-u', '1337'] },
  { name: 'it', image: 'auto' },
  { image: 'cr.l5d.io/linkerd/proxy-init:v2.4.1', args: ['--incoming-proxy-port', '4143'] },
  { image: 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.0', args: ['wait', '--max', '30s'] },
  { image: 'gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.14.0', args: ['--quitquitquit', 'a:b:c'] },
  { image: 'envoyproxy/envoy:v1.34.0', args: ['sh', '-c', 'cp /usr/local/bin/envoy /shared'] },
  { image: 'envoyproxy/envoy:v1.34.0', args: ['--mode', 'validate', '-c', '/c'] },
  { image: 'redis:7', command: ['sh', '-c', 'until redis-cli -h db ping; do sleep 2; done'] },
  { image: 'redis:7', args: ['redis-cli', 'ping'] },
  { image: 'redis:7', command: ['redis-server', '--daemonize', 'yes'] },
  { image: 'nginx:1.29', command: ['cp', '-r', '/usr/share/nginx/html', '/shared'] },
  { image: 'nginx:1.29', args: ['nginx', '-t'] },
  { image: 'nginx:1.29', command: ['nginx'] },
  { image: 'postgres:17', command: ['pg_isready', '-h', 'db'] },
  { image: 'mysql:8', args: ['--initialize-insecure'] },
  { image: 'elastic/filebeat:9', args: ['setup', '--dashboards'] },
  { image: 'datadog/agent:7', command: ['bash', '-c'], args: ['cp -r /etc/datadog-agent /opt'] },
  { image: 'docker.io/haproxy:3', args: ['-c', '-f', '/etc/haproxy.cfg'] },
  { image: 'registry:3', args: ['garbage-collect', '/etc/registry.yml'] },
  { image: 'alpine/git:2', args: ['clone', 'https://git.example/a.git'] },
  { command: ['timeout', '60', 'tail', '-F', '/logs'] },
  { command: ['sleep', '30'] },
  script('until nslookup db; do echo waiting; sleep 2; done'),
  script('while ! nc -z db 5432; do sleep 1; done'),
  script('while [ ! -e /ready ]; do sleep 1; done'),
  script('while true; do nc -z db 5432 && break; sleep 1; done'),
  script('while true; do if nc -z db 5432; then exit 0; fi; sleep 1; done'),
  script('while true; do case $(state) in ok) break ;; esac; sleep 1; done'),
  script('while true; do nc -z db 5432 && exec true; sleep 1; done'),
  script('for i in $(seq 60); do nc -z db 5432 && exit 0; sleep 1; done; exit 1'),
  script('migrate || sleep infinity'),
  script('migrate || { echo failed; tail -f /dev/null; }'),
  script('[ -z "$DEBUG" ] || sleep infinity'),
  script('[ -n "$DEBUG" ] && sleep infinity; migrate'),
  script('if [ -n "$DEBUG" ]; then sleep infinity; fi\nmigrate'),
  script('#########################\nsleep infinity\n###########\nmigrate'),
  script('die() { echo failed; sleep infinity; }\nmigrate || die'),
  script('[ -e /done ] && exit 0\nsleep infinity'),
  script('redis-server & sleep 2; redis-cli set a b; redis-cli shutdown'),
  script('redis-server & pid=$!; load; kill $pid; wait'),
  script('tail -F /logs & migrate'),
  script('tail -F /logs | sed /ready/q'),
  script('tail -f --pid=1 /logs'),
])('ends, or is unknown: %j', (init) => {
  expect(helperIn(init)).toBeUndefined()
})

test('counts only containers that started before it as able to end it', () => {
  const init = { command: ['nginx', '-g', 'daemon off;'] }
  const stop = {
    name: 'stop',
    image: 'busybox',
    restartPolicy: 'Always',
    command: ['sh', '-c', 'sleep 5; pkill nginx'],
  }
  expect(helperIn(init, [], { shareProcessNamespace: true })).toBeDefined()
  expect(helperIn(init, [stop], { shareProcessNamespace: true })).toBeUndefined()
  expect(helperIn(init, [stop])).toBeDefined()
})
