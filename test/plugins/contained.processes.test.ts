import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';

const evil = `
import { EventEmitter } from 'node:events';
const proxy = () => new Proxy(new Error('x'), { get() { throw proxy(); }, getPrototypeOf() { throw null; }, has() { throw 1; } });
const getter = () => Object.defineProperty(new Error('y'), 'message', { get() { throw new Error('z'); } });
const thrown = { undefined: () => undefined, null: () => null, proxy, getter, error: () => new Error('plain'), text: () => 'text' };
const ways = {
  sync: (value) => { throw value(); },
  rejected: async (value) => { throw value(); },
  timer: (value) => { setTimeout(() => { throw value(); }, 1); },
  tick: (value) => { process.nextTick(() => { throw value(); }); },
  microtask: (value) => { queueMicrotask(() => { throw value(); }); },
  floating: (value) => { Promise.reject(value()); },
  emitter: (value) => { setTimeout(() => new EventEmitter().emit('error', value()), 1); },
};
const run = ({ title }) => {
  const [way, value] = title.split(' ');
  return ways[way]?.(thrown[value]);
};
export default {
  notifier: (entry) => run(entry),
  propertyProvider: (entry) => run(entry),
  close() { setTimeout(() => { throw undefined; }, 1); throw proxy(); },
};
`;
const waysOf = { inside: ['sync', 'rejected'], outside: ['timer', 'tick', 'microtask', 'floating', 'emitter'] };
const values = ['undefined', 'null', 'proxy', 'getter', 'error', 'text'];

let dir: string;
let logbook: LogbookProcess;
beforeEach(async () => {
  dir = await makeTempDir();
  await writeFile(join(dir, 'evil.mjs'), evil);
});
afterEach(async () => {
  await logbook.stop('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

test('a plug-in that throws anything at all, at any time, costs no entry and does not end the service', async () => {
  logbook = await LogbookProcess.start(join(dir, 'data'), { args: ['--plugins', join(dir, 'evil.mjs')] });
  const create = async (title: string) => {
    const json = { title, logbooks: [{ name: 'operations' }] };
    expect(await call(`${logbook.base}/logs`, { method: 'PUT', json })).toMatchObject({ status: 200 });
  };
  const count = (message: string) => logbook.errors.split(message).length - 1;
  for (const way of [...waysOf.inside, ...waysOf.outside]) for (const value of values) await create(`${way} ${value}`);
  // Each entry fails once in the property provider and once in the notifier.
  const all = async (message: string, expected: number) => {
    while (count(message) < expected) await once(logbook.child.stderr as NodeJS.ReadableStream, 'data');
    expect(count(message)).toBe(expected);
  };
  await all('"notifier failed"', waysOf.inside.length * values.length);
  await all('"property provider failed"', waysOf.inside.length * values.length);
  await all('"plug-in failed outside of its calls"', 2 * waysOf.outside.length * values.length);
  expect(logbook.errors.split('\n').filter((line) => line.includes('uncaught exception; exiting'))).toEqual([]);
  await create('after all');
  expect(await logbook.stop()).toBe(0);
});
