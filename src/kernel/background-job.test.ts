import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { recordingLog } from '../../test/fixtures/log.js';
import type { BackgroundJob, Job } from './background-job.js';
import { JobRegistry } from './job-registry.js';
import type { LeaseStore } from './lease.port.js';
import { LocalLeases } from './local-leases.js';
import { NodeLeases } from './node-leases.js';

let logged: ReturnType<typeof recordingLog>;
let job: BackgroundJob | undefined;
beforeEach(() => {
  vi.useFakeTimers();
  logged = recordingLog();
});
afterEach(async () => {
  await job?.stop();
  vi.useRealTimers();
});

const begin = (fields: Partial<Job> & Pick<Job, 'run'>): BackgroundJob => {
  job = new JobRegistry({ log: logged.log }).start({ name: 'some-job', failure: 'some job failed', ...fields });
  return job;
};
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a job runs at each interval, and repeatedly while there is more work', async () => {
  const left = ['more', 'more', 'idle', 'idle'] as const;
  let runs = 0;
  begin({ intervalMs: 1_000, run: async () => left[runs++] ?? 'idle' });
  await pass(999);
  expect(runs).toBe(0);
  await pass(1);
  expect(runs).toBe(3);
  await pass(1_000);
  expect(runs).toBe(4);
});

test('runs never overlap; triggers during a run cause one more run', async () => {
  const finish: (() => void)[] = [];
  const it = begin({
    run: () => new Promise((resolve) => finish.push(() => resolve('idle'))),
  });
  it.trigger();
  await pass(0);
  it.trigger();
  it.trigger();
  await pass(10);
  expect(finish).toHaveLength(1);
  finish[0]?.();
  await pass(10);
  expect(finish).toHaveLength(2);
  finish[1]?.();
  await pass(60_000);
  expect(finish).toHaveLength(2);
});

test('a trigger is delayed, so that one run serves several triggers', async () => {
  let runs = 0;
  const it = begin({
    delayMs: 500,
    run: async () => {
      runs += 1;
      return 'idle';
    },
  });
  for (let at = 0; at < 5; at++) {
    it.trigger();
    await pass(90);
  }
  expect(runs).toBe(0);
  await pass(50);
  expect(runs).toBe(1);
  await pass(10_000);
  expect(runs).toBe(1);
});

test('runNow resolves with a run that began after the call, and rejects with its error', async () => {
  const finish: (() => void)[] = [];
  const it = begin({ run: () => new Promise((resolve) => finish.push(() => resolve('idle'))) });
  it.trigger();
  await pass(0);
  let done = false;
  const now = it.runNow().then(() => {
    done = true;
  });
  finish[0]?.();
  await pass(0);
  expect([finish.length, done]).toEqual([2, false]);
  finish[1]?.();
  await now;
  await it.stop();
  const failing = begin({ run: () => Promise.reject(new Error('broken')) });
  await expect(failing.runNow()).rejects.toThrow('broken');
});

test('a failed run is retried; each distinct error is logged once, and again after a success', async () => {
  const outcomes = ['a', 'a', 'b', undefined, 'b'];
  let runs = 0;
  const it = begin({
    retryMs: 100,
    run: async () => {
      const outcome = outcomes[runs++];
      if (outcome !== undefined) throw new Error(outcome);
      return 'idle';
    },
  });
  it.trigger();
  await pass(0);
  expect(it.status).toMatchObject({ lastError: 'Error: a', lastSuccessMs: undefined });
  await pass(300);
  expect(runs).toBe(4);
  expect(it.status).toMatchObject({ lastError: undefined, lastSuccessMs: Date.now() });
  it.trigger();
  await pass(0);
  expect(logged.messages()).toEqual(['some job failed', 'some job failed', 'some job failed']);
});

test('stop aborts the current run and waits for it; nothing runs afterwards', async () => {
  let runs = 0;
  const it = begin({
    intervalMs: 10,
    run: (signal) => {
      runs += 1;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  });
  await pass(10);
  await it.stop();
  it.trigger();
  await pass(1_000);
  expect(runs).toBe(1);
  expect(logged.messages()).toEqual([]);
});

describe('a job that one node runs at a time', () => {
  const clock = { elapsedMs: () => Date.now() };
  let store: LocalLeases;
  beforeEach(() => {
    store = new LocalLeases(clock);
  });
  /** Starts a node with the job; `runs` counts its runs. */
  const startNode = ({ leaseStore = store, job = {} }: { leaseStore?: LeaseStore; job?: Partial<Job> } = {}) => {
    const { run = async () => 'idle' } = job;
    const leases = new NodeLeases(leaseStore, { log: logged.log, clock });
    const registry = new JobRegistry({ log: logged.log });
    registry.shareBy(leases);
    let runs = 0;
    const started = registry.start({
      name: 'some-job',
      failure: 'some job failed',
      isShared: true,
      intervalMs: 100,
      ...job,
      run: (signal) => {
        runs += 1;
        return run(signal);
      },
    });
    return { leases, started, runs: () => runs };
  };

  test('another node takes over immediately when the first one stops, and within 10 s when it is killed', async () => {
    const first = startNode();
    await pass(100);
    const second = startNode();
    await pass(20_000);
    expect([first.runs() > 100, second.runs(), second.started.status.lastSuccessMs]).toEqual([true, 0, undefined]);
    await first.started.stop();
    await first.leases.close();
    await pass(3_100);
    expect(second.runs()).toBeGreaterThan(0);
    // Simulates a killed process, whose lease is neither renewed nor released.
    await second.started.stop();
    vi.spyOn(store, 'release').mockResolvedValue(false);
    await second.leases.close();
    const third = startNode();
    await pass(9_900);
    expect(third.runs()).toBeGreaterThan(0);
    await third.started.stop();
  });

  test('a run ends when its lease is lost, before another node may begin, and does not count as failed', async () => {
    let endedMs: number | undefined;
    const fail = () => Promise.reject(new Error('the storage cannot be reached'));
    let isCutOff = false;
    const reached: LeaseStore = {
      acquire: (...request) => (isCutOff ? fail() : store.acquire(...request)),
      renew: (...request) => (isCutOff ? fail() : store.renew(...request)),
      release: (...request) => (isCutOff ? fail() : store.release(...request)),
    };
    const run = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          endedMs = Date.now();
          reject(signal.reason as Error);
        });
      });
    const first = startNode({ job: { run }, leaseStore: reached });
    await pass(100);
    isCutOff = true;
    const startedMs = Date.now();
    const takenOver = vi.fn();
    const second = startNode({ job: { onTakeOver: takenOver } });
    while (second.runs() === 0) await pass(100);
    expect(logged.messages()).toContain('lease lost');
    expect(endedMs ?? Number.NaN).toBeLessThan(Date.now());
    expect(Date.now() - startedMs).toBeLessThan(10_000);
    expect(takenOver).toHaveBeenCalledTimes(1);
    await pass(500);
    expect(takenOver).toHaveBeenCalledTimes(1);
    await first.started.stop();
    await second.started.stop();
  });

  test('a node that could not reach the storage takes over in time, however late it would repeat a failed run', async () => {
    let isCutOff = true;
    const cutOff = () => Promise.reject(new Error('the storage cannot be reached'));
    const reached: LeaseStore = {
      acquire: (...request) => (isCutOff ? cutOff() : store.acquire(...request)),
      renew: (...request) => store.renew(...request),
      release: (...request) => store.release(...request),
    };
    const node = startNode({ leaseStore: reached, job: { intervalMs: 3_600_000, retryMs: 600_000 } });
    node.started.trigger();
    await pass(20_000);
    expect([node.runs(), node.started.status.lastError]).toEqual([0, 'Error: the storage cannot be reached']);
    isCutOff = false;
    await pass(10_000);
    expect(node.runs()).toBe(1);
    await node.started.stop();
  });

  test('all leases of a node are renewed together for as long as it runs', async () => {
    const node = startNode();
    await pass(60_000);
    const held = await node.leases.hold('some-job');
    expect([held?.token, held?.signal.aborted]).toEqual([1, false]);
    await node.started.stop();
    await node.leases.close();
    expect(await node.leases.hold('some-job')).toBeUndefined();
  });
});
