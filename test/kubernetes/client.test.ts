// Runs the client's test suite on the cluster in KUBECONFIG.
import { systemClock } from '@dayfly/kit/system'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { describe, it } from 'vitest'
import { clientSuite } from './client-suite.ts'
import { kubeconfig, whyNone } from './cluster.ts'

const file = kubeconfig
if (file) clientSuite('client on a real cluster', async () => connect(await loadKubeconfig(file), systemClock()))
else describe('client on a real cluster', () => it('the whole suite', (context) => context.skip(whyNone)))
