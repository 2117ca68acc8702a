// The helpers that pods have beside their work and that never end by themselves: their images, and their programs.

import type { ContainerView } from '../pod-view.ts'
import { type Command, programOf } from './commands.ts'

export type HelperKind = {
  readonly what: string
  /** Of the repository, without tag. */
  readonly image: RegExp
  /** Of a program that a command starts. */
  readonly program: RegExp
  /** Arguments, if there are any, without which it does something else. */
  readonly needs?: RegExp
  /** Arguments with which it ends, or goes into the background. */
  readonly ends?: RegExp
  /** The entry point of the image runs other programs that it is given. */
  readonly runsOthers?: true
  /** As an init container. `unknown`: often a file has it end, or an injector makes it a sidecar; `medium`: a file can have it end. */
  readonly asInit?: 'unknown' | 'medium'
}

/** What this command starts. */
export function startedKind(command: Command): HelperKind | undefined {
  const [, ...args] = command.words
  return kinds.find((kind) => kind.program.test(programOf(command)) && serves(kind, args))
}

/** What the image's own entry point starts with these arguments. */
export function imageKind(container: ContainerView, args: readonly string[]): HelperKind | undefined {
  const name = container.image === 'auto' ? container.name : repositoryOf(container)
  const kind = kinds.find((each) => each.image.test(name))
  if (!kind || (kind.runsOthers && args[0] !== undefined && !args[0].startsWith('-'))) return undefined
  return args.length === 0 || serves(kind, args) ? kind : undefined
}

/** Its image, without tag and digest. */
export function repositoryOf({ image }: Pick<ContainerView, 'image'>): string {
  return (image ?? '').replace(/@.*$/, '').replace(/:[^/:]*$/, '')
}

function serves({ needs, ends }: HelperKind, args: readonly string[]): boolean {
  if (args.some((word) => /^(--?version|--?help|--?dry-run|validate|-t)$/.test(word))) return false
  const words = args.join(' ')
  return (needs?.test(words) ?? true) && !ends?.test(words)
}

const kinds: readonly HelperKind[] = [
  {
    what: "Istio's proxy",
    image: /(^|\/)(istio-)?proxyv2$|^istio-proxy$/,
    program: /^pilot-agent$/,
    needs: /^proxy\b/,
    asInit: 'unknown',
  },
  {
    what: 'Envoy',
    image: /(^|\/)envoy(-distroless|-alpine)?$/,
    program: /^envoy$/,
    ends: /--mode[= ](validate|init_only)/,
    runsOthers: true,
  },
  { what: "Linkerd's proxy", image: /(^|\/)linkerd2?-proxy$|\/linkerd\/proxy$/, program: /^linkerd2?-proxy$/ },
  {
    what: 'the Cloud SQL proxy',
    image: /(^|\/)(cloud-?sql-proxy|gce-proxy|cloud_sql_proxy)$/,
    program: /^cloud[-_]sql[-_]proxy$/,
    ends: /(^| )(wait|shutdown|completion|help)( |$)/,
  },
  {
    what: 'the AlloyDB proxy',
    image: /(^|\/)alloydb-auth-proxy$/,
    program: /^alloydb-auth-proxy$/,
    ends: /(^| )(wait|shutdown|completion|help)( |$)/,
  },
  {
    what: 'a Vault agent',
    image: /(^|\/)vault(-enterprise)?$/,
    program: /^vault$/,
    needs: /^(agent|proxy)\b/,
    asInit: 'unknown',
  },
  {
    what: 'Fluent Bit',
    image: /(^|\/)(aws-for-)?fluent-bit$/,
    program: /^fluent-bit$/,
    ends: /(^| )(-[dDJS]|--daemon|--sosreport|--schema)( |$)/,
    asInit: 'medium',
  },
  {
    what: 'Fluentd',
    image: /(^|\/)fluentd(-kubernetes-daemonset)?$/,
    program: /^fluentd$/,
    ends: /(^| )(-[ds]|--daemon|--setup|--show-plugin-config)\b/,
    runsOthers: true,
  },
  {
    what: 'Promtail',
    image: /(^|\/)promtail$/,
    program: /^promtail$/,
    ends: /-(stdin|check-syntax|inspect)\b/,
    asInit: 'medium',
  },
  {
    what: 'Filebeat',
    image: /(^|\/)filebeat(-oss)?$/,
    program: /^filebeat$/,
    needs: /^(-|run\b|$)/,
    ends: /--once\b/,
    runsOthers: true,
    asInit: 'medium',
  },
  {
    what: 'Vector',
    image: /(^|\/)timberio\/vector$/,
    program: /^vector$/,
    needs: /^-/,
    ends: /(^| )(validate|test|generate|list)( |$)/,
    asInit: 'medium',
  },
  {
    what: 'an OpenTelemetry collector',
    image: /(^|\/)(opentelemetry-collector(-contrib|-k8s)?|aws-otel-collector)$/,
    program: /^otelcol(-contrib|-k8s)?$/,
    ends: /^(components|featuregate|print-\S+|completion|help)\b/,
  },
  {
    what: 'the Datadog agent',
    image: /\/?datadog(hq)?\/agent$|(^|\/)datadog-agent$/,
    program: /^agent$/,
    needs: /^run\b/,
  },
  { what: 'the CloudWatch agent', image: /(^|\/)cloudwatch-agent$/, program: /^start-amazon-cloudwatch-agent$/ },
  { what: 'the X-Ray daemon', image: /(^|\/)aws-xray-daemon$/, program: /^xray$/ },
  { what: 'OAuth2 Proxy', image: /(^|\/)oauth2-proxy$/, program: /^oauth2-proxy$/, ends: /-config-(test|to-alpha)\b/ },
  {
    what: 'PgBouncer',
    image: /(^|\/)pgbouncer$/,
    program: /^pgbouncer$/,
    ends: /(^| )(-\w*[dV]|--daemon)( |$)/,
    runsOthers: true,
  },
  {
    what: 'HAProxy',
    image: /(^|\/)haproxy$/,
    program: /^haproxy$/,
    ends: /(^| )-(c|D|vv?)( |$)/,
    runsOthers: true,
  },
  {
    what: 'nginx',
    image: /(^|\/)nginx(-unprivileged)?$/,
    program: /^nginx$/,
    needs: /daemon off/,
    runsOthers: true,
  },
  {
    what: 'a Redis server',
    image: /(^|\/)redis$/,
    program: /^redis-server$/,
    ends: /--daemonize[= ]yes|--test-memory|--check-system/,
    runsOthers: true,
  },
  {
    what: 'a PostgreSQL server',
    image: /(^|\/)postgres$/,
    program: /^postgres$/,
    ends: /(^| )(--single|--boot|--check|--describe-config|-C)( |$)/,
    runsOthers: true,
  },
  {
    what: 'a MySQL server',
    image: /(^|\/)(mysql|mariadb)$/,
    program: /^(mysqld|mariadbd)$/,
    ends: /(^| )(--(initialize(-insecure)?|daemonize|validate-config|bootstrap)|-D)( |$)/,
    runsOthers: true,
  },
  {
    what: 'a MongoDB server',
    image: /(^|\/)mongo$/,
    program: /^mongod$/,
    ends: /--(fork|repair|shutdown|install)\b/,
    runsOthers: true,
  },
  {
    what: 'an image registry',
    image: /(^|\/)(registry|distribution\/distribution)$/,
    program: /^registry$/,
    needs: /^(serve\b|$)/,
    runsOthers: true,
  },
]
