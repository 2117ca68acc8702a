// The addresses that pods reach outside their network. All are addresses of the node's loopback interface, so nothing is forwarded or translated.

/** The address of the Service `kubernetes`. The API server listens there itself, because no proxy serves Services. */
export const apiServerAddress = '10.0.0.1'

export const apiServerPort = 443

/** An address for forges and other servers of the tests, from a range that is reserved for documentation. */
export const outsideAddress = '192.0.2.1'
