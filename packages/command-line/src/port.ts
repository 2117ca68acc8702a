// Listens on the port that the operator chose.
import { CliFailure, codeOf } from './failure.ts'

/** @param subject begins the sentence of a failure, for example `The cluster` */
export async function listenOn<Listener>(
  server: { listen(port: number): Promise<Listener> },
  port: number,
  subject: string,
): Promise<Listener> {
  try {
    return await server.listen(port)
  } catch (cause) {
    throw new CliFailure({
      code: 'port-unusable',
      sentence: `${subject} cannot listen on 127.0.0.1:${port} (${codeOf(cause)}).`,
      next: 'Choose another --port, or omit --port to use a free one.',
      exitCode: 1,
      cause,
    })
  }
}
