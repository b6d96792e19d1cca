import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bridgeMessages } from './bridge-messages.js';

test('each request of an array of messages is refused, and none waits for ever', async () => {
  const batch = [{ id: 1, method: 'ping' }, { method: 'notifications/initialized' }, null, { id: 'b', method: 'ping' }];
  const output = new PassThrough();
  const service = { url: new URL('http://localhost:1/mcp'), token: 'x' };
  await bridgeMessages(service, Readable.from([`${JSON.stringify(batch)}\n`]), output, new AbortController().signal);
  const answers = (await text(output.end())).trim().split('\n');
  expect(answers.map((line) => JSON.parse(line))).toEqual(
    [1, 'b'].map((id) => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32_600, message: 'This line is not one message. Send each message on its own line.' },
    })),
  );
});
