import { execFile } from 'node:child_process';
import { join } from 'node:path';
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
    const agent = await Agent.over(bridge(logbook.origin), mode);
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

test('exit code 64: without a token, nothing is started', async () => {
  const run = promisify(execFile)(process.execPath, [main, 'mcp', '--url', logbook.origin], { env: {} });
  await expect(run).rejects.toMatchObject({
    code: 64,
    stderr: expect.stringContaining('LOGBOOK_TOKEN has no API token'),
  });
});
