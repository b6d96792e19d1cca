import { createRequire } from 'node:module';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Receiver } from '../fixtures/receiver.js';
import { TestService } from '../fixtures/service.js';
import { startWithSubscribers, webhookTo } from '../fixtures/subscribed-logbook.js';
import { type ReceivedSpan, TraceCollector } from '../fixtures/trace-collector.js';

let collector: TraceCollector;
let logbook: TestService | undefined;
beforeEach(async () => {
  collector = await TraceCollector.start();
});
afterEach(async () => {
  await logbook?.stop();
  logbook = undefined;
  await collector.stop();
});

const spanOf = (name: string, traceId?: string): ReceivedSpan | undefined =>
  collector.spans.find((span) => span.name === name && (traceId === undefined || span.traceId === traceId));
const given = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${given.traceId}-${given.spanId}-01`;

const loadedSdkFiles = (): string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => /@opentelemetry.(sdk|exporter)/.test(file));

test('without tracingEndpoint, the SDK is not even loaded', async () => {
  logbook = await TestService.start();
  await logbook.create();
  expect(loadedSdkFiles()).toEqual([]);
});

test('a request is a span in the trace of its client, with what it did in storage, files and search', async () => {
  logbook = await TestService.start({ tracingEndpoint: collector.url, tracingHeaders: 'x-key=let me in' });
  expect(loadedSdkFiles()).not.toEqual([]);
  const headers = { traceparent };
  await logbook.create({ title: 'Geheimnis' }, '', { headers });
  await logbook.get('/logs/search?text=Geheimnis', { headers });
  await expect.poll(() => spanOf('GET /logbook/logs/search', given.traceId)).toBeDefined();
  const create = spanOf('PUT /logbook/logs', given.traceId);
  expect(create).toMatchObject({
    parentSpanId: given.spanId,
    attributes: {
      'http.request.method': 'PUT',
      'http.route': '/logbook/logs',
      'http.response.status_code': 200,
      'logbook.request_id': expect.stringMatching(/^[\da-f-]{36}$/),
    },
  });
  expect(spanOf('storage write', given.traceId)?.parentSpanId).toBe(create?.spanId);
  const search = spanOf('GET /logbook/logs/search', given.traceId);
  expect(spanOf('search search', given.traceId)?.parentSpanId).toBe(search?.spanId);
  expect(JSON.stringify(collector.spans)).not.toMatch(/Geheimnis|userPass/);
  expect(collector.requests[0]?.headers).toMatchObject({ 'x-key': 'let me in', 'content-type': 'application/json' });
});

test('without a trace of its client, a request begins one; a malformed header is ignored', async () => {
  logbook = await TestService.start({ tracingEndpoint: collector.url });
  await logbook.get('/tags', { headers: { traceparent: '00-xyz-1-01' } });
  await expect.poll(() => spanOf('GET /logbook/tags')).toBeDefined();
  expect(spanOf('GET /logbook/tags')?.parentSpanId ?? '').toBe('');
});

test('a delivery is a trace, which is sent to the webhook and linked to the requests that wrote the delivered changes', async () => {
  const target = await Receiver.start();
  try {
    const settings = { tracingEndpoint: collector.url };
    logbook = await startWithSubscribers({ shift: webhookTo(target.origin) }, { settings });
    await logbook.create();
    const [received] = await target.waitFor(1);
    await expect.poll(() => spanOf('deliver by webhook')).toBeDefined();
    const span = spanOf('deliver by webhook');
    await expect.poll(() => spanOf('PUT /logbook/logs')).toBeDefined();
    const { traceId, spanId } = spanOf('PUT /logbook/logs') ?? {};
    expect(span?.links).toEqual([expect.objectContaining({ traceId, spanId })]);
    expect(span?.attributes).toEqual({ 'logbook.subscriber': 'shift', 'logbook.changes': 1 });
    expect(received?.headers.traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
  } finally {
    await logbook?.stop();
    logbook = undefined;
    await target.stop();
  }
});

test('with tracingSampleRatio=0, nothing is recorded, even if a client asks for it', async () => {
  logbook = await TestService.start({ tracingEndpoint: collector.url, tracingSampleRatio: '0' });
  await logbook.create({}, '', { headers: { traceparent } });
  await logbook.stop();
  logbook = undefined;
  expect(collector.spans).toEqual([]);
});

test.each([
  ['never answers', undefined],
  ['refuses', 400],
])('a collector that %s: requests are answered, the service stops, and the log says it once', async (_case, status) => {
  collector.status = status;
  const lines: { msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const warnings = () => lines.filter(({ msg }) => msg.startsWith('traces could not be sent'));
  logbook = await TestService.start({ tracingEndpoint: collector.url }, undefined, log);
  await logbook.get('/tags');
  await expect.poll(() => collector.requests.length).toBeGreaterThan(0);
  for (let at = 0; at < 20; at += 1) expect((await logbook.get('/tags')).status).toBe(200);
  if (status !== undefined) await expect.poll(warnings).toHaveLength(1);
  await logbook.stop();
  logbook = undefined;
  expect(warnings().length).toBeLessThanOrEqual(1);
});

test.each([
  ['tracingEndpoint', 'collector:4318', 'it must be a URL such as'],
  ['tracingHeaders', 'key', 'each field must be name=value'],
  ['tracingSampleRatio', '2', 'it must be a number from 0 to 1'],
])('%s=%s is refused', async (name, value, message) => {
  await expect(TestService.start({ [name]: value })).rejects.toThrow(message);
});
