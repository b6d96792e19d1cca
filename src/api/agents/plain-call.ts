import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/server';

type Sdk = typeof import('@modelcontextprotocol/server');

/** Headers in which clients state the version of the protocol and repeat parts of the message. */
export type ProtocolHeaders = Readonly<Record<string, string>>;

/** A call of a tool that needs nothing else of the protocol. */
export interface PlainCall {
  readonly id: string | number;
  readonly params: CallToolRequest['params'];
  /** Whether the message and its answer have the form of the newest version. */
  readonly isNewest: boolean;
}

/** Version of the protocol in which each message describes itself. Earlier ones negotiate it in the first message. */
const newestVersion = '2026-07-28';

interface Message {
  readonly id: string | number;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown };
}

/**
 * Returns the call of a tool in a message; undefined for other methods, and for calls that the SDK must refuse or
 * decode. The transports of the SDK take many times the processor time of these checks.
 */
export function findPlainCall(sdk: Sdk, message: unknown, headers: ProtocolHeaders): PlainCall | undefined {
  const { id, method, params } = message as Message;
  if (method !== 'tools/call') return undefined;
  if (isBareCall(message as object)) {
    return describesEarlier(sdk, headers) ? { id, params: params as PlainCall['params'], isNewest: false } : undefined;
  }
  const version = headers['mcp-protocol-version'];
  const route = sdk.classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version !== undefined && { protocolVersionHeader: version }),
  });
  const isNewest = route.kind === 'modern' && describesNewest(headers, params?.name);
  const isEarlier = route.kind === 'legacy' && route.reason === 'no-claim' && describesEarlier(sdk, headers);
  if (!isNewest && !isEarlier) return undefined;
  const checked = sdk.specTypeSchemas.CallToolRequest['~standard'].validate(message);
  return checked.issues ? undefined : { id, params: checked.value.params, isNewest };
}

/**
 * Whether a call has only a name and arguments, so that it claims no version. The classification by the SDK, which tries
 * two schemas that do not match, takes ten times as long.
 */
function isBareCall(message: object): boolean {
  const { jsonrpc, id, params } = message as Record<string, unknown>;
  const isRequest = jsonrpc === '2.0' && (typeof id === 'string' || Number.isSafeInteger(id));
  if (!isRequest || Object.keys(message).length !== 4 || !isObject(params)) return false;
  const { arguments: args } = params;
  // The SDK removes the name `__proto__` from arguments.
  return 'name' in params && Object.keys(params).length === 2 && isObject(args) && !Object.hasOwn(args, '__proto__');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function describesNewest(headers: ProtocolHeaders, name: unknown): boolean {
  const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': named } = headers;
  return version === newestVersion && method === 'tools/call' && named === name;
}

function describesEarlier({ SUPPORTED_PROTOCOL_VERSIONS }: Sdk, headers: ProtocolHeaders): boolean {
  const { accept = '', 'mcp-protocol-version': version } = headers;
  const acceptsBoth = accept.includes('application/json') && accept.includes('text/event-stream');
  return acceptsBoth && (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version));
}

/** Returns the answer to a call, in the form that the SDK gives it. */
export function toCallAnswer(
  { SERVER_INFO_META_KEY }: Sdk,
  { id, isNewest }: PlainCall,
  result: CallToolResult,
  serverInfo: object,
): object {
  const described = isNewest && { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: serverInfo } };
  return { result: { ...result, ...described }, jsonrpc: '2.0', id };
}
