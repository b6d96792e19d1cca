import { afterAll, beforeAll, expect, test } from 'vitest';
import { timeOperations } from '../../src/app/observe/operation-timings.js';
import { RequestMetrics } from '../../src/http/metrics.js';
import { noTracing } from '../../src/kernel/tracing.js';
import { Receiver } from '../fixtures/receiver.js';
import type { TestService } from '../fixtures/service.js';
import { startWithSubscribers, stateWhen, webhookTo } from '../fixtures/subscribed-logbook.js';

let target: Receiver;
let logbook: TestService;
beforeAll(async () => {
  target = await Receiver.start();
  target.answer = () => 503;
  logbook = await startWithSubscribers({ shift: webhookTo(target.origin) });
});
afterAll(async () => {
  await logbook.stop();
  await target.stop();
});

/** Returns the value of a series, by its name and labels as they are written; undefined when it is absent. */
async function read(series: string): Promise<number | undefined> {
  const text = await (await fetch(`${logbook.origin}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}
const count = async (name: string, label: string) => (await read(`${name}_count{${label}}`)) ?? 0;

test('operations of storage, files and search are counted by their names, and so is waiting', async () => {
  const [write, search] = ['logbook_storage_operation_duration_seconds', 'logbook_search_operation_duration_seconds'];
  const before = await count(search, 'operation="search"');
  const { id } = await logbook.create({ title: 'a pump' });
  await logbook.get(`/logs/${id}`);
  await logbook.get('/logs/search?text=pump');
  expect(await count(write, 'operation="write"')).toBeGreaterThanOrEqual(1);
  expect(await count(write, 'operation="read"')).toBeGreaterThanOrEqual(1);
  expect(await count(search, 'operation="search"')).toBe(before + 1);
  const entry = { title: 'with a file', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  const uploaded = await logbook.sendForm('PUT', entry, [{ name: 'a.txt', content: 'a file' }]);
  expect(uploaded.status).toBe(200);
  const files = 'logbook_file_operation_duration_seconds';
  expect([await count(files, 'operation="stage"'), await count(files, 'operation="commit"')]).toEqual([1, 1]);
  const wait = 'logbook_http_request_wait_duration_seconds';
  expect(await count(wait, 'class="search"')).toBeGreaterThanOrEqual(1);
  expect(await count(wait, 'class="write"')).toBeGreaterThanOrEqual(1);
});

test('a failed operation is counted, and fails as it did', async () => {
  const metrics = new RequestMetrics();
  const { storage } = timeOperations(metrics, noTracing);
  await expect(storage('write', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await metrics.text()).toContain('logbook_storage_operation_duration_seconds_count{operation="write"} 1');
});

test('values that cannot be read are left out, and the scrape succeeds', async () => {
  const metrics = new RequestMetrics();
  metrics.storedGauge('logbook_one', 'One.', () => Promise.reject(new Error('no')));
  metrics.storedGaugePer('of', 'logbook_more', 'More.', async () => [
    ['known', 1],
    ['unknown', undefined],
  ]);
  const text = await metrics.text();
  expect(text).toContain('logbook_more{of="known"} 1');
  expect(text).not.toMatch(/^logbook_one |unknown/m);
});

test('a subscriber that does not take its deliveries lags, until it does', async () => {
  const lag = () => read('logbook_subscriber_lag_seconds{subscriber="shift"}');
  await logbook.create({ title: 'not received' });
  await expect.poll(lag).toBeGreaterThan(0);
  expect(await read('logbook_subscriber_dead_letters{subscriber="shift"}')).toBe(0);
  target.answer = () => 200;
  await expect.poll(lag).toBe(0);
  target.answer = () => 410;
  await logbook.create({ title: 'refused' });
  await stateWhen(logbook, 'shift', ({ deadLetters }) => deadLetters === 1);
  await expect.poll(() => read('logbook_subscriber_dead_letters{subscriber="shift"}')).toBe(1);
});

test('sessions are counted until they end', async () => {
  expect(await read('logbook_sessions')).toBe(0);
  const signIn = await logbook.call('/login', {
    method: 'POST',
    as: null,
    json: { username: 'user', password: 'userPass' },
  });
  expect(signIn.status).toBe(200);
  await expect.poll(() => read('logbook_sessions')).toBe(1);
});

test('the disk, the ledger, live clients and the index show their state', async () => {
  const free = await read('logbook_disk_free_bytes{directory="data"}');
  const size = await read('logbook_disk_size_bytes{directory="data"}');
  expect(free).toBeGreaterThan(0);
  expect(size).toBeGreaterThan(Number(free));
  await expect.poll(() => read('logbook_ledger_lag_seconds')).toBe(0);
  await expect.poll(() => read('logbook_live_lag_seconds')).toBe(0);
  await expect.poll(() => read('logbook_search_unindexed_writes')).toBe(0);
});

test('no label contains text of users', async () => {
  await logbook.create({ title: 'Schraubenschlüssel', owner: 'x' });
  await logbook.get('/logs/search?text=Schraubenschl%C3%BCssel');
  const text = await (await fetch(`${logbook.origin}/metrics`)).text();
  expect(text).not.toMatch(/Schrauben|userPass/i);
});
