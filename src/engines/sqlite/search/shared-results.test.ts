import { expect, test } from 'vitest';
import { SharedResults } from './shared-results.js';

interface Result {
  readonly name: string;
  readonly bytes: number;
}

/** Computations that end when the test says so. */
class Computations {
  readonly begun: { end: (result: Result) => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];

  readonly compute = (signal: AbortSignal): Promise<Result> =>
    new Promise((resolve, reject) => this.begun.push({ end: resolve, fail: reject, signal }));
}

const results = (maxBytes = 8_000) => new SharedResults<Result>({ maxBytes, sizeOf: ({ bytes }) => bytes });
const small = (name: string): Result => ({ name, bytes: 10 });
const ask = (revision: string, key = 'newest', signal?: AbortSignal) => ({ revision, key, signal });

test('what several callers ask for at the same time is computed once', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const asked = [1, 2, 3].map(() => shared.get(ask('1'), compute));
  expect(begun).toHaveLength(1);
  begun[0]?.end(small('page'));
  expect(await Promise.all(asked)).toEqual([1, 2, 3].map(() => ({ result: small('page'), isShared: true })));
});

test('a result is used again until the next revision, and for the same question only', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const first = shared.get(ask('1'), compute);
  begun[0]?.end(small('page'));
  expect((await first).isShared).toBe(true);
  expect(await shared.get(ask('1'), compute)).toEqual({ result: small('page'), isShared: true });
  void shared.get(ask('1', 'oldest'), compute);
  expect(begun).toHaveLength(2);
  void shared.get(ask('2'), compute);
  expect(begun).toHaveLength(3);
});

test('a result that was begun before a change is for those who asked before it', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const before = shared.get(ask('1'), compute);
  const after = shared.get(ask('2'), compute);
  begun[0]?.end(small('before'));
  begun[1]?.end(small('after'));
  expect((await before).result.name).toBe('before');
  expect((await after).result.name).toBe('after');
  expect((await shared.get(ask('2'), compute)).result.name).toBe('after');
});

test('a computation is cancelled once no caller needs it, and only then', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const [one, other] = [new AbortController(), new AbortController()];
  const asked = [one, other].map(({ signal }) => shared.get(ask('1', 'newest', signal), compute));
  for (const one of asked) one.catch(() => undefined);
  one.abort();
  expect(begun[0]?.signal.aborted).toBe(false);
  other.abort();
  expect(begun[0]?.signal.aborted).toBe(true);
  const next = shared.get(ask('1'), compute);
  begun[0]?.fail(new Error('cancelled'));
  begun[1]?.end(small('page'));
  expect((await next).result.name).toBe('page');
  for (const one of asked) await expect(one).rejects.toThrow('aborted');
});

test('a failure is not kept', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const failed = shared.get(ask('1'), compute);
  begun[0]?.fail(new Error('busy'));
  await expect(failed).rejects.toThrow('busy');
  const next = shared.get(ask('1'), compute);
  begun[1]?.end(small('page'));
  expect((await next).result.name).toBe('page');
});

test('the total size of kept results is limited, and a very large result is not kept', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const store = async (key: string, bytes: number) => {
    const asked = shared.get(ask('1', key), compute);
    begun.at(-1)?.end({ name: key, bytes });
    await asked;
  };
  await store('large', 2_000);
  for (let at = 0; at < 20; at += 1) await store(`page ${at}`, 900);
  const computed = begun.length;
  for (const key of ['large', 'page 19']) void shared.get(ask('1', key), compute);
  expect(begun).toHaveLength(computed + 2);
  await shared.get(ask('1', 'page 0'), compute);
  expect(begun).toHaveLength(computed + 2);
});

test('a result that one caller asked for and that is not kept is not shared', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const ofOne = shared.get(ask('1'), compute);
  begun[0]?.end({ name: 'large', bytes: 2_000 });
  expect((await ofOne).isShared).toBe(false);
  const ofTwo = [1, 2].map(() => shared.get(ask('1'), compute));
  begun[1]?.end({ name: 'large', bytes: 2_000 });
  expect((await Promise.all(ofTwo)).map(({ isShared }) => isShared)).toEqual([true, true]);
  const ofBefore = shared.get(ask('1', 'oldest'), compute);
  void shared.get(ask('2'), compute);
  begun[2]?.end(small('of the revision before'));
  expect((await ofBefore).isShared).toBe(false);
});

test('a large result pushes out several only if it is asked for more often than each of them', async () => {
  const [shared, { begun, compute }] = [results(2_000), new Computations()];
  const isComputed = async (key: string, bytes: number) => {
    const before = begun.length;
    const asked = shared.get(ask('1', key), compute);
    if (begun.length > before) begun.at(-1)?.end({ name: key, bytes });
    await asked;
    return begun.length > before;
  };
  const small = Array.from({ length: 80 }, (_, at) => `small ${at}`);
  for (const name of small) await isComputed(name, 8);
  for (let time = 0; time < 5; time += 1) await isComputed('small 1', 8);
  for (const name of small.slice(2)) await isComputed(name, 8);
  // The large result may evict the first one, but not the second, which was requested more often.
  for (let time = 0; time < 3; time += 1) expect(await isComputed('large', 236)).toBe(true);
  expect(await isComputed('small 1', 8)).toBe(false);
});

test('a result that is requested more often evicts others; results that are requested in turns do not', async () => {
  const [shared, { begun, compute }] = [results(), new Computations()];
  const isComputed = async (key: string) => {
    const before = begun.length;
    const asked = shared.get(ask('1', key), compute);
    if (begun.length > before) begun.at(-1)?.end({ name: key, bytes: 900 });
    await asked;
    return begun.length > before;
  };
  const rounds: boolean[][] = [];
  for (let round = 0; round < 3; round += 1) {
    const computed: boolean[] = [];
    for (let at = 0; at < 16; at += 1) computed.push(await isComputed(`page ${at}`));
    rounds.push(computed);
  }
  expect(rounds.map((computed) => computed.filter(Boolean).length)).toEqual([16, 8, 8]);
  for (let time = 0; time < 4; time += 1) await isComputed('popular');
  expect(await isComputed('popular')).toBe(false);
  // A result that was popular, and no longer is, gives way.
  for (let time = 0; time < 2_000; time += 1) await isComputed('popular');
  for (let round = 0; round < 400; round += 1) for (let at = 0; at < 8; at += 1) await isComputed(`other ${at}`);
  const others = await Promise.all(Array.from({ length: 8 }, (_, at) => isComputed(`other ${at}`)));
  expect(others).toEqual(others.map(() => false));
});
