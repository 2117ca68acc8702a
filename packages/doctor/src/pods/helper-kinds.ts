// The long-lived helpers that pods run beside their work: their images and programs.
import type { ContainerView } from '../pod-view.ts'
import { type Command, programOf } from '../read/shell/commands.ts'

export type HelperKind = {
  readonly what: string
  /** Matches the repository of the image, without tag. Undefined: its own entry point may end. */
  readonly image?: RegExp
  /** Matches the program that a command starts. */
  readonly program: RegExp
  /** If arguments are given, they must match; otherwise the program does something else. */
  readonly needs?: RegExp
  /** Arguments with which the program ends or goes into the background. */
  readonly ends?: RegExp
  /** The entry point of the image also runs other programs. */
  readonly runsOthers?: true
  /** The confidence as an init container. `unknown`: a file often ends it, or an injector makes it a sidecar. `medium`: a file may end it. */
  readonly asInit?: 'unknown' | 'medium'
  /** It is the pod's work, so it is no sidecar of other work. */
  readonly isWork?: true
}

/** Returns the kind that this command starts. */
export function startedKind(command: Command): HelperKind | undefined {
  const program = programOf(command)
  return kinds.find((kind) => kind.program.test(program) && serves(kind, command.words.slice(1)))
}

/** Returns the kind that the image's own entry point starts with these arguments. */
export function imageKind(container: ContainerView, args: readonly string[]): HelperKind | undefined {
  const name = container.image === 'auto' ? container.name : repositoryOf(container)
  const kind = kinds.find((each) => each.image?.test(name))
  if (!kind || (kind.runsOthers && args[0] !== undefined && !args[0].startsWith('-'))) return undefined
  return args.length === 0 || serves(kind, args) ? kind : undefined
}

/** Returns the image without tag and digest. */
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
  {
    what: 'the daemon of a CI runner',
    program: /^(forgejo-runner|gitea-runner|act[_-]runner)$/,
    needs: /(^| )daemon( |$)/,
    ends: /--(once|ephemeral)\b/,
    isWork: true,
  },
  {
    what: 'the daemon of a CI runner',
    program: /^gitlab-runner$/,
    needs: /(^| )run( |$)/,
    ends: /--max-builds\b/,
    isWork: true,
  },
]
