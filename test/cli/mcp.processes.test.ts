import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { Agent } from '../fixtures/agent.js';
import { TestService } from '../fixtures/service.js';

const main = join(productDir, 'dist', 'src', 'main.js');
let logbook: TestService;
let token: string;
beforeAll(async () => {
  logbook = await TestService.start({ mcp: 'true' });
  token = (await logbook.post('/tokens', { name: 'bridge', rights: [] })).body.token;
});
afterAll(() => logbook.stop());

const bridge = (url: string) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', '--url', url],
    env: { LOGBOOK_TOKEN: token },
  });

test.each(['legacy', 'auto'] as const)(
  'an agent that starts the command reaches the service with its token, protocol: %s',
  async (mode) => {
    const { id } = await logbook.create({ title: 'Überhitzung', source: 'x'.repeat(90_000) });
    // The path of the root path has no endpoint: the bridge falls back to the origin.
    const agent = await Agent.over(bridge(`${logbook.origin}${mode === 'auto' ? '' : '/logbook/'}`), mode);
    expect(await agent.tools()).toHaveLength(7);
    const [one, two] = await Promise.all([
      agent.call('getEntry', { id }),
      agent.call('draftEntry', { title: 'x', text: '' }),
    ]);
    expect(one.data.entry).toMatchObject({ id, written: { title: 'Überhitzung', text: 'x'.repeat(90_000) } });
    expect(two.data).toMatchObject({ outcome: 'refused', code: 'auth.right-missing' });
    await agent.close();
  },
);

test('a service that cannot be reached is an error of each message', async () => {
  await expect(Agent.over(bridge('http://127.0.0.1:9'), 'legacy')).rejects.toThrow('cannot be reached');
});

test('a line that is not one message is refused, and the next ones are answered', async () => {
  const started = spawn(process.execPath, [main, 'mcp', '--url', logbook.origin], { env: { LOGBOOK_TOKEN: token } });
  const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
  const odd = ['null', '7', '"x"', 'true', '[]', `[${ping(1)}]`, '{', '{}', '{"id":null,"params":null}'];
  const unheard = [{ method: 'pi\nng' }, { method: 'größe€' }, { method: 'ping', params: { name: 'ü', _meta: null } }];
  const lines = [...odd, ...unheard.map((one) => JSON.stringify({ jsonrpc: '2.0', id: 3, ...one }))];
  started.stdin.write(`${lines.join('\n')}\n`);
  started.stdin.write(Buffer.from([0xff, 0xfe, 0x0a]));
  started.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'x'.repeat(20_000_000) })}\n`);
  started.stdin.end(`${ping(2)}\n`);
  const [output, errors, [code]] = await Promise.all([
    text(started.stdout),
    text(started.stderr),
    once(started, 'exit'),
  ]);
  expect([code, errors]).toEqual([0, '']);
  const answers = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const codes = (id: number | null) => answers.filter((one) => one.id === id).map(({ error }) => error?.code);
  expect(
    codes(null)
      .slice(0, 5)
      .every((one) => one === -32_600),
    output,
  ).toBe(true);
  expect(codes(1)).toEqual([-32_600]);
  expect(codes(3)).toHaveLength(3);
  expect(codes(4)).toEqual([-32_000]);
  expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: {} });
});

test('exit code 64: without a token, nothing is started', async () => {
  const run = promisify(execFile)(process.execPath, [main, 'mcp', '--url', logbook.origin], { env: {} });
  await expect(run).rejects.toMatchObject({
    code: 64,
    stderr: expect.stringContaining('LOGBOOK_TOKEN has no API token'),
  });
});
