// Calls a Gitea server: its REST API with a token, its runner service, and the routes of its web page that have no counterpart in the API.

export type GiteaMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `value` is undefined if the body is not JSON. */
export type GiteaAnswer = { readonly status: number; readonly value: unknown; readonly text: string }

export interface GiteaClient {
  /** Calls the API below `/api/v1`. Resolves with any status. */
  call(method: GiteaMethod, path: string, body?: object): Promise<GiteaAnswer>
  /** Calls the API and resolves with the value. Rejects for a status of 400 and above. */
  must(method: GiteaMethod, path: string, body?: object): Promise<unknown>
}

/** @param authorization the header of every call, such as `token 0123…` */
export function giteaClient(url: string, authorization: string): GiteaClient {
  const call: GiteaClient['call'] = (method, path, body) =>
    send(`${url}/api/v1${path}`, method, body, { authorization })
  return {
    call,
    must: async (method, path, body) => {
      const { status, value, text } = await call(method, path, body)
      if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`)
      return value
    },
  }
}

export type RunnerKey = { readonly uuid: string; readonly token: string }

/** Calls one method of the runner service. @param runner undefined for Register */
export function callRunnerService(
  url: string,
  method: string,
  message: object,
  runner?: RunnerKey,
): Promise<GiteaAnswer> {
  const headers: Record<string, string> = runner ? { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token } : {}
  return send(`${url}/api/actions/runner.v1.RunnerService/${method}`, 'POST', message, headers)
}

/** Logs in to the web page. Resolves with a function that sends a form to one of its routes. Rejects for a status of 400 and above. */
export async function giteaPage(
  url: string,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<(path: string) => Promise<void>> {
  const post = async (path: string, form: Readonly<Record<string, string>>, cookie: string) => {
    // The server refuses a form from another origin.
    const headers = { origin: url, cookie }
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
    if (response.status >= 400) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
    return response.headers.getSetCookie().findLast((each) => each.startsWith('i_like_gitea='))
  }
  const session = await post('/user/login', { user_name: name, password }, '')
  if (session === undefined) throw new Error(`${name} cannot log in`)
  const [cookie = ''] = session.split(';', 1)
  return async (path) => void (await post(path, {}, cookie))
}

async function send(
  address: string,
  method: GiteaMethod,
  body: object | undefined,
  own: Readonly<Record<string, string>>,
): Promise<GiteaAnswer> {
  const headers = { ...own, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const init = { method, headers, redirect: 'manual' } as const
  const response = await fetch(address, body === undefined ? init : { ...init, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, value: parse(text), text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
