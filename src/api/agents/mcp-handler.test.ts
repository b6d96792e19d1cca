import { beforeAll, expect, test } from 'vitest';
import { Type } from '../../kernel/json-schema.js';
import { type McpHandler, openMcpHandler } from './mcp-handler.js';
import type { Tool } from './tool.js';

const tool: Tool = {
  name: 'getEntry',
  title: 'Read an entry',
  description: 'Returns an entry.',
  writes: false,
  inputSchema: Type.Object({ id: Type.Integer({ minimum: 0 }) }, { additionalProperties: false }),
  run: async () => ({}),
};

let mcp: McpHandler;
beforeAll(async () => {
  mcp = await openMcpHandler([tool, { ...tool, name: 'open', inputSchema: Type.Object({}) }]);
});

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: object;
}

const earlier = (version = '2025-06-18') => ({
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': version,
});
const newest = { ...earlier('2026-07-28'), 'mcp-method': 'tools/call', 'mcp-name': 'getEntry' };
const key = (name: string) => `io.modelcontextprotocol/${name}`;
const envelope = {
  [key('protocolVersion')]: '2026-07-28',
  [key('clientInfo')]: { name: 'test', version: '1' },
  [key('clientCapabilities')]: {},
};
const callOf = (id: number, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'getEntry', arguments: { id }, ...more },
});
const answerText = (args: unknown) => `“ß” of ${JSON.stringify(args)}`;
const run = async (_: Tool, args: unknown) => ({ content: [{ type: 'text' as const, text: answerText(args) }] });
const send = async (message: Message | readonly Message[], headers: Record<string, string>, runTool = run) => {
  const { status, type, body } = await mcp.answer(message, headers, runTool);
  return { status, type, body: body === '' ? undefined : JSON.parse(body) };
};

test('a call gets the answer that the transports of the SDK would give, in all versions of the protocol', async () => {
  // An encoded name and an array are left to the SDK, which decodes and unpacks them.
  const encoded = { ...newest, 'mcp-name': `=?base64?${Buffer.from('getEntry').toString('base64')}?=` };
  const call = callOf(3, { _meta: envelope });
  expect(await send(call, newest)).toEqual(await send(call, encoded));
  expect(await send(callOf(3), earlier())).toEqual(await send([callOf(3)], earlier()));
  const { 'mcp-protocol-version': _, ...unversioned } = earlier();
  for (const headers of [newest, earlier(), earlier('2024-11-05'), unversioned]) {
    const { status, type, body } = await send(headers === newest ? call : callOf(3), headers);
    expect([status, type, body.id, body.jsonrpc]).toEqual([200, 'application/json', 7, '2.0']);
    expect(body.result.content).toEqual([{ type: 'text', text: answerText({ id: 3 }) }]);
  }
});

/** Values of a member, as JSON; undefined: the member is missing. */
const values = ['7', '1.5', '1e20', '"2.0"', '"open"', 'null', '{}', '[]', '{"__proto__":{"id":4}}', undefined];
const changes = ['jsonrpc', 'id', 'method', 'params', 'result', 'error', 'more'].map((name) => ({
  name,
  in: 'message',
}));
const changesOfParams = ['name', 'arguments', '_meta', 'task', 'more'].map((name) => ({ name, in: 'params' }));

test.each([...changes, ...changesOfParams])(
  'whatever $name in the $in is, the SDK would run the same tools and give the same answer',
  async ({ name, in: changed }) => {
    for (const value of values) {
      const ofParams = { name: '"open"', arguments: '{"id":3}', ...(changed === 'params' && { [name]: value }) };
      const members = { jsonrpc: '"2.0"', id: '7', method: '"tools/call"', params: toJson(ofParams) };
      const message = JSON.parse(toJson({ ...members, ...(changed === 'message' && { [name]: value }) }));
      const calls: string[] = [];
      const note = (called: Tool, args: unknown) => {
        calls.push(`${called.name} ${JSON.stringify(args)}`);
        return run(called, args);
      };
      const answer = await send(message, earlier(), note);
      const ran = calls.splice(0);
      // The SDK unpacks an array; only its refusals of invalid messages are worded differently.
      const bySdk = await send([message], earlier(), note);
      expect(ran).toEqual(calls);
      expect(answer).toEqual(bySdk.status === 400 ? { ...answer, status: 400 } : bySdk);
    }
  },
);

/** Returns an object whose members are JSON. A parsed one can have members that an object literal cannot. */
function toJson(members: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${given.map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`;
}

test.each([
  ['an unknown method', { ...callOf(1), method: 'tools/unknown' }, earlier(), 200, -32_601],
  ['an unknown tool', callOf(1, { name: 'other' }), earlier(), 200, -32_602],
  ['parameters that are not an object', { ...callOf(1), params: 'x' as never }, earlier(), 400, -32_600],
  ['a name that is not a text', callOf(1, { name: 1 }), earlier(), 200, -32_602],
  ['an id that is an object', { ...callOf(1), id: {} }, earlier(), 400, -32_600],
  ['an unknown version', callOf(1), earlier('1999-01-01'), 400, -32_000],
  ['the newest version, named in the headers alone', callOf(1), newest, 400, -32_602],
  ['another version in the headers than in the message', callOf(1, { _meta: envelope }), earlier(), 400, -32_020],
  ['the name of another tool', callOf(1, { _meta: envelope }), { ...newest, 'mcp-name': 'other' }, 400, -32_020],
  ['no name', callOf(1, { _meta: envelope }), { ...newest, 'mcp-name': '' }, 400, -32_020],
  ['the name of another method', callOf(1, { _meta: envelope }), { ...newest, 'mcp-method': 'ping' }, 400, -32_020],
  ['a client that accepts no events', callOf(1), { ...earlier(), accept: 'application/json' }, 406, -32_000],
])('the SDK refuses %s, and no tool runs', async (_, message, headers, status, code) => {
  const refuse = () => Promise.reject(new Error('a tool ran'));
  expect(await send(message as Message, headers, refuse)).toMatchObject({ status, body: { error: { code } } });
});

test.each([
  ['the newest version', callOf(-1, { _meta: envelope }), newest],
  ['an earlier version', callOf(-1), earlier()],
])('wrong arguments are an answer that the agent can read: %s', async (_, message, headers) => {
  const { body } = await send(message, headers, () => Promise.reject(new Error('a tool ran')));
  expect(body.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Invalid arguments') }],
  });
});

test('concurrent calls with the same id get their own answers, even if this id is cancelled', async () => {
  const waiting: (() => void)[] = [];
  const slow = async (called: Tool, args: unknown) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return run(called, args);
  };
  const answers = [1, 2, 3].map((id) => send(callOf(id), earlier(), slow));
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  expect(await send(cancelled, earlier())).toMatchObject({ status: 202, body: undefined });
  await expect.poll(() => waiting.length).toBe(3);
  for (const finish of waiting.toReversed()) finish();
  const texts = (await Promise.all(answers)).map(({ body }) => body.result.content[0].text);
  expect(texts).toEqual([1, 2, 3].map((id) => answerText({ id })));
});
