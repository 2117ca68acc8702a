// Returns the settings of containerd, the kubelet and the pod network. The node shares its machine, so they use and limit nothing outside the node.
import path from 'node:path'

/** One of the nodes of a cluster. */
export type NodePlan = {
  /** The node's name, which is a loopback address, too. */
  readonly name: string
  /** The network bridge of its pods, and their addresses: 10.77.0.0/24 for `10.77.0`. */
  readonly bridge: string
  readonly network: string
  /** The control group below that of the run. A kubelet kills unknown processes below its own group. */
  readonly group: string
  /** More settings of the kubelet. They replace those of the same name. */
  readonly kubelet?: object
}

export const firstNode: NodePlan = { name: '127.0.0.1', bridge: 'pods', network: '10.77.0', group: 'first' }
/** Tests start, shut down and lose this node. No pod runs on it that does not tolerate its taint. */
export const secondNode: NodePlan = {
  name: '127.0.0.2',
  bridge: 'pods2',
  network: '10.77.1',
  group: 'second',
  kubelet: {
    registerWithTaints: [{ key: 'dayfly.dev/second', value: 'true', effect: 'NoSchedule' }],
    // systemd-logind lets a shutdown wait that long by default.
    shutdownGracePeriod: '5s',
  },
}

export function containerdSettings(folder: string, programs: string, { name }: NodePlan): string {
  return `version = 4
root = '${folder}/containerd/root'
state = '${folder}/containerd/state'
disabled_plugins = ['io.containerd.nri.v1.nri', 'io.containerd.snapshotter.v1.devmapper', 'io.containerd.snapshotter.v1.btrfs', 'io.containerd.snapshotter.v1.zfs', 'io.containerd.snapshotter.v1.erofs', 'io.containerd.tracing.processor.v1.otlp']

[plugins.'io.containerd.server.v1.grpc']
  address = '${folder}/containerd.sock'
[plugins.'io.containerd.server.v1.ttrpc']
  address = '${folder}/containerd.sock.ttrpc'
[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
[plugins.'io.containerd.cri.v1.images'.registry]
  # Tests write the registries there that answer for others. containerd reads them at each pull.
  config_path = '${folder}/registries'
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = 'localhost/pause:1'

[plugins.'io.containerd.cri.v1.runtime']
  # Lets sandboxes start without CAP_SYS_RESOURCE.
  restrict_oom_score_adj = true
  disable_apparmor = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ['${programs}']
  conf_dir = '${folder}/cni'
[plugins.'io.containerd.cri.v1.runtime'.containerd]
  default_runtime_name = 'runc'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
  BinaryName = '${programs}/runc'
  SystemdCgroup = false

[plugins.'io.containerd.internal.v1.opt']
  path = '${folder}/containerd/opt'
[plugins.'io.containerd.grpc.v1.cri']
  stream_server_address = '${name}'
`
}

export function kubeletSettings(folder: string, run: string, { name, group, kubelet }: NodePlan): object {
  const none = '0%'
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: name,
    healthzBindAddress: name,
    readOnlyPort: 0,
    // Only processes in the network namespace reach the kubelet.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    staticPodPath: `${folder}/manifests`,
    podLogsDir: `${folder}/pod-logs`,
    volumePluginDir: `${folder}/volume-plugins`,
    nodeStatusUpdateFrequency: '5s',
    // Four renewals fit into the grace period of the controller manager.
    nodeLeaseDurationSeconds: 20,
    resolvConf: '',
    // Works with both versions of control groups, and on a machine that may not change its own limits.
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${path.basename(run)}/${group}`,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,

    makeIPTablesUtilChains: false,
    // A test of a slow image must not hold up the pulls of the others.
    serializeImagePulls: false,
    // An image that the kubelet has pulled under one name would else have to be pulled again under its other names.
    imagePullCredentialsVerificationPolicy: 'NeverVerify',
    imageGCHighThresholdPercent: 100,
    imageMinimumGCAge: '24h',
    // The kubelet evicts by the sizes of volumes. It measures them once a minute by default.
    volumeStatsAggPeriod: '5s',
    evictionHard: {
      'memory.available': none,
      'nodefs.available': none,
      'nodefs.inodesFree': none,
      'imagefs.available': none,
      'imagefs.inodesFree': none,
    },
    ...kubelet,
  }
}

export function podNetwork(folder: string, { bridge, network }: NodePlan): object {
  const ranges = [[{ subnet: `${network}.0/24` }]]
  // The node routes to the addresses outside, which are those of its loopback interface.
  const ipam = { type: 'host-local', dataDir: `${folder}/addresses`, ranges, routes: [{ dst: '0.0.0.0/0' }] }
  const plugin = { type: 'bridge', bridge, isGateway: true, ipMasq: false, ipam }
  return { cniVersion: '1.0.0', name: 'pods', plugins: [plugin] }
}
