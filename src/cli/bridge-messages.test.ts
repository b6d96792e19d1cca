import { createServer, type RequestListener } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listening, portOf, stopServer } from '../../test/fixtures/local-server.js';
import { bridgeMessages } from './bridge-messages.js';

test('each request of an array of messages is refused, and none waits for ever', async () => {
  const batch = [{ id: 1, method: 'ping' }, { method: 'notifications/initialized' }, null, { id: 'b', method: 'ping' }];
  const output = new PassThrough();
  const service = { url: new URL('http://localhost:1/mcp'), token: 'x', tokenSource: 'a file' };
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

/** Returns the answer to one message, sent to a server at an address with this path. */
async function answerOf(path: string, serve: RequestListener): Promise<{ error?: { message: string } }> {
  const server = await listening(createServer(serve));
  onTestFinished(() => stopServer(server));
  const output = new PassThrough();
  const service = { url: new URL(`http://127.0.0.1:${portOf(server)}${path}`), token: 'x', tokenSource: 'the file t' };
  const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  await bridgeMessages(service, Readable.from([`${line}\n`]), output, new AbortController().signal);
  return JSON.parse(await text(output.end()));
}

test.each([
  [401, {}, 'No. Put the API token into the file t, and start the agent again.'],
  [429, { 'retry-after': '30' }, 'No. Wait 30 s before the next message.'],
  [403, {}, 'No.'],
])('a refusal with %i says what the agent must do', async (status, headers, message) => {
  const { error } = await answerOf('/mcp', (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{"message":"No."}');
  });
  expect(error?.message).toBe(message);
});

test.each([
  ['/site/mcp', 404],
  ['/mcp', 403],
  ['/mcp', 404],
  ['/mcp', 405],
])('messages for /site/mcp arrive at %s, when other addresses answer with %i', async (path, status) => {
  const answer = await answerOf('/site/mcp', ({ url }, response) => {
    const type = { 'content-type': 'application/json' };
    if (url === path) response.writeHead(200, type).end('{"jsonrpc":"2.0","id":1,"result":{}}');
    else response.writeHead(status, type).end('{"message":"Not found."}');
  });
  expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
});
