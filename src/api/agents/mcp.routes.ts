import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientDisconnected } from '../../http/reply/client-disconnect.js';
import { type PublicAddress, publicOriginOfOwnHost } from '../../http/request/public-url.js';
import { Type } from '../../kernel/json-schema.js';
import { type CallToolDeps, callTool } from './call-tool.js';
import { draftEntry } from './draft-entry.js';
import { openMcpHandler } from './mcp-handler.js';
import type { ProtocolHeaders } from './plain-call.js';
import { readingTools } from './reading-tools.js';

export interface McpRoutesDeps extends CallToolDeps, PublicAddress {}

const tools = [...readingTools, draftEntry];

/** Headers in which clients state the version of the protocol and repeat parts of the message. */
const protocolHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Registers the route for agents: the Model Context Protocol over streamable HTTP. */
export async function mcpRoutes(app: FastifyInstance, deps: McpRoutesDeps): Promise<void> {
  const mcp = await openMcpHandler(tools);
  app.addHook('onClose', () => mcp.close());
  // The requests that a tool sends take turns like all others, so the message must not hold a slot that they wait for.
  const config = { access: 'token', cost: 'none', challenge: 'Bearer realm="logbook"' } as const;
  // An array of messages in one body would allow any number of calls.
  const schema = { hide: true, body: Type.Object({}) } as const;
  app.post('/mcp', { config, schema }, async (request: FastifyRequest, reply: FastifyReply) => {
    const origin = publicOriginOfOwnHost(request, deps);
    request.server.admission.openResponse(reply);
    request.context.auditTarget = describeMessage(request.body);
    const caller = { request, signal: clientDisconnected(reply), origin };
    const { status, type, body } = await mcp.answer(request.body, headersOf(request), (tool, args) =>
      callTool(deps, tool, args, caller),
    );
    if (type !== null) reply.type(type);
    return reply.code(status).header('cache-control', 'no-store').send(body);
  });
}

function headersOf({ headers }: FastifyRequest): ProtocolHeaders {
  const given: Record<string, string> = {};
  for (const name of protocolHeaders) if (headers[name] !== undefined) given[name] = String(headers[name]);
  return given;
}

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly arguments?: { readonly id?: unknown } };
}

/**
 * Returns the target of a message for the audit log: the tool and the entry that it reads, but no words of a search.
 */
function describeMessage(body: unknown): string {
  const { method, params } = body as Message;
  if (method !== 'tools/call') return /^[a-z/]{1,40}$/i.test(String(method)) ? String(method) : 'unknown message';
  const tool = tools.find(({ name }) => name === params?.name);
  if (!tool) return 'unknown tool';
  const id = params?.arguments?.id;
  return Number.isSafeInteger(id) ? `${tool.name} ${id}` : tool.name;
}
