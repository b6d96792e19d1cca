import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface AgentService {
  /** Address to which messages are sent. */
  readonly url: URL;
  readonly token: string;
  /** Where the token comes from, for messages. */
  readonly tokenSource: string;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly _meta?: Readonly<Record<string, unknown>> };
}

/** Maximum number of messages that wait for their answers. Further messages are not read. */
const maxPending = 16;
const versionKey = 'io.modelcontextprotocol/protocolVersion';
/** Error code of JSON-RPC in the range that servers may define. */
const serverError = -32_000;
const parseError = -32_700;
const invalidRequest = -32_600;
/** Characters that the value of a header may have. */
const headerText = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Sends each line of `input`, a message of the Model Context Protocol, to the service, and writes the answers to
 * `output`. Resolves when the input has ended and everything is answered, or when `stop` aborts.
 */
export async function bridgeMessages(
  service: AgentService,
  input: Readable,
  output: Writable,
  stop: AbortSignal,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  let version: string | undefined;
  const serve = async (line: string) => {
    for (const answer of await answersTo(line, service, version, stop)) {
      // Later messages must repeat the version on which the first one agreed.
      version ??= (answer as { result?: { protocolVersion?: string } }).result?.protocolVersion;
      if (!output.write(`${JSON.stringify(answer)}\n`)) await once(output, 'drain', { signal: stop });
    }
  };
  const lines = createInterface({ input, signal: stop });
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const served = serve(line).finally(() => pending.delete(served));
    pending.add(served);
    if (pending.size >= maxPending) await Promise.race(pending);
  }
  await Promise.all(pending);
}

async function answersTo(
  line: string,
  service: AgentService,
  version: string | undefined,
  signal: AbortSignal,
): Promise<unknown[]> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [failure(null, parseError, 'This line is not JSON.')];
  }
  const message = toMessage(value);
  if (!message) return refuseLine(value);
  try {
    const response = await send(service, line, headersOf(message, version), signal);
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) return text.split('\n').flatMap(dataOf);
    const body: unknown = type.startsWith('application/json') ? JSON.parse(text) : undefined;
    if (body !== undefined && Object.hasOwn(body as object, 'jsonrpc')) return [body];
    if (response.ok) return [];
    const reason =
      (body as { message?: string } | undefined)?.message ?? `${response.url} answered with ${response.status}.`;
    return refuse(message, `${reason}${adviceFor(response, service)}`);
  } catch (error) {
    const { message: reason, cause } = error as Error & { readonly cause?: Error };
    return refuse(message, `The logbook at ${service.url.origin} cannot be reached: ${cause?.message ?? reason}`);
  }
}

/** Statuses of an address where no logbook answers agents. */
const elsewhere: readonly number[] = [403, 404, 405];

/** Sends a message. Earlier versions ignored the path of the address, so some agents give the root path there. */
async function send(
  { url, token }: AgentService,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const request = { method: 'POST', body, headers: { ...headers, authorization: `Bearer ${token}` }, signal };
  const response = await fetch(url, request);
  if (!elsewhere.includes(response.status) || url.pathname === '/mcp') return response;
  await response.body?.cancel();
  return fetch(new URL('/mcp', url), request);
}

/** Returns what to do after a refusal, as a sentence with a space before it; empty when its message says so. */
function adviceFor({ status, headers }: Response, { tokenSource }: AgentService): string {
  if (status === 401) return ` Put the API token into ${tokenSource}, and start the agent again.`;
  const seconds = headers.get('retry-after');
  return seconds === null ? '' : ` Wait ${seconds} s before the next message.`;
}

/** Returns undefined for JSON that is not one message, such as a batch, which newer versions of the protocol lack. */
function toMessage(value: unknown): Message | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** Refuses a line that is not one message; each request of a batch by its id, so that no client waits for its answer. */
function refuseLine(value: unknown): unknown[] {
  const ids = Array.isArray(value) ? value.flatMap((one) => toMessage(one)?.id ?? []) : [];
  const reason = 'This line is not one message. Send each message on its own line.';
  return (ids.length > 0 ? ids : [null]).map((id) => failure(id, invalidRequest, reason));
}

/** Returns the headers that repeat parts of the message, as the protocol requires for HTTP. */
function headersOf({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const version = params?._meta?.[versionKey] ?? agreed;
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headerOf('mcp-protocol-version', version),
    ...headerOf('mcp-method', method),
    ...headerOf('mcp-name', params?.name),
  };
}

/** Returns the header; nothing for a value that no header can have, which the service then refuses. */
const headerOf = (name: string, value: unknown): Record<string, string> =>
  typeof value === 'string' && headerText.test(value) ? { [name]: value } : {};

function dataOf(line: string): unknown[] {
  return line.startsWith('data:') && line.length > 6 ? [JSON.parse(line.slice(5))] : [];
}

/** Returns the error for a message. A notification, which has no id, receives none. */
function refuse({ id }: Message, reason: string): unknown[] {
  return id === undefined ? [] : [failure(id, serverError, reason)];
}

function failure(id: unknown, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
