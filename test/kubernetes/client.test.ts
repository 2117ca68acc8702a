// Runs the client's test suite on the cluster in KUBECONFIG.
import { describe, it } from 'vitest'
import { connect } from '../../src/kubernetes/connect.ts'
import { loadKubeconfig } from '../../src/kubernetes/kubeconfig.ts'
import { systemClock } from '../../src/lib/system.ts'
import { clientSuite } from './client-suite.ts'
import { kubeconfig, whyNone } from './cluster.ts'

const file = kubeconfig
if (file) clientSuite('client on a real cluster', async () => connect(await loadKubeconfig(file), systemClock()))
else describe('client on a real cluster', () => it('the whole suite', (context) => context.skip(whyNone)))
