import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSocket } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeEach(async () => {
  logbook = await TestService.start();
  const source = 'x'.repeat(750_000);
  for (let at = 0; at < 20; at += 1) await logbook.create({ source });
});
afterEach(() => logbook.stop());

/** An answer of 30 MB that has begun, and of which nothing is read. */
async function beginReading(agent?: false): Promise<IncomingMessage> {
  const request = get(`${logbook.base}/logs/search?size=20`, { agent });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer.pause();
}

/** Asks for the stop; resolves when it is under way. */
async function beginStop(): Promise<{ stopped: Promise<void> }> {
  const stopped = logbook.stop();
  const isRefused = () =>
    logbook.get('').then(
      () => false,
      () => true,
    );
  await expect.poll(isRefused).toBe(true);
  return { stopped };
}

test('a response that is being read when the service is stopped arrives complete', async () => {
  // One connection is to be kept for more, the other is not.
  const answers = [await beginReading(), await beginReading(false)];
  const { stopped } = await beginStop();
  // All are read before the first is parsed: the service waits for some seconds only.
  for (const body of await Promise.all(answers.map((answer) => buffer(answer)))) {
    expect(JSON.parse(body.toString()).logs).toHaveLength(20);
  }
  await stopped;
});

test('a client that does not read its response does not prevent the service from stopping', async () => {
  const answer = await beginReading();
  answer.on('error', () => undefined);
  await logbook.stop();
  expect(answer.complete).toBe(false);
  answer.destroy();
});

test('a live stream that is not read is terminated immediately, while other responses are still sent', async () => {
  const deaf = openSocket(logbook.origin);
  deaf.write('GET /logbook/changes?lastEventId=0 HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(deaf, 'data');
  deaf.pause();
  const answer = await beginReading();
  const { stopped } = await beginStop();
  // A write to an end that has closed fails; a line feed before a request means nothing.
  await expect.poll(() => (deaf.write('\r\n') ? null : deaf.errored)).not.toBeNull();
  expect(JSON.parse((await buffer(answer)).toString()).logs).toHaveLength(20);
  await stopped;
});
