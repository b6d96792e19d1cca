import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveValues } from '../../packages/control-system/sources.port.js';

export interface OpenedLiveValues {
  /** Opens a source that waits this long for a device. */
  connect(timeoutMs: number): LiveValues;
  /** Adds a device that has a number with units now. */
  add(name: string, value: number, units: string): Promise<void>;
  destroy(): Promise<void>;
}

const names = ['SR:C03-MG:G02A{Quad:1}I', 'a%2F b', '"\\<>'];

/** Requirements of every source of live values. */
export function liveValuesSuite(open: () => Promise<OpenedLiveValues>): void {
  let opened: OpenedLiveValues;
  /** Waits until all have answered. */
  let source: LiveValues;
  beforeAll(async () => {
    opened = await open();
    source = opened.connect(60_000);
  });
  afterAll(async () => {
    source.close();
    await opened.destroy();
  });
  const signal = new AbortController().signal;

  test('each device has its value with units and time, whatever its name', async () => {
    for (const [at, name] of names.entries()) await opened.add(name, at + 0.5, 'mA');
    const startMs = Date.now();
    const readings = await source.read(names, signal);
    expect([...readings.keys()]).toEqual(names);
    for (const [at, name] of names.entries()) {
      expect(readings.get(name)).toMatchObject({ value: at + 0.5, units: 'mA', severity: 'NONE' });
      expect((readings.get(name) as { atMs: number }).atMs).toBeGreaterThanOrEqual(startMs - 1_000);
    }
  });

  test('a device that does not answer is missing, and the others are not', async () => {
    const impatient = opened.connect(2_000);
    await opened.add('here', 1, 'mA');
    const readings = await impatient.read(['absent', 'here'], signal);
    expect(readings.get('absent')).toMatchObject({ missing: expect.any(String) });
    expect(readings.get('here')).toMatchObject({ value: 1 });
    expect(impatient.state.failure).toBeUndefined();
    impatient.close();
  });

  test('a thousand devices are read at once', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `SR:device-with-a-rather-long-name:${at}`);
    for (const [at, name] of many.entries()) await opened.add(name, at, 'V');
    const readings = await source.read(many, signal);
    expect(many.map((name) => (readings.get(name) as { value: number }).value)).toEqual(many.map((_, at) => at));
  });

  test('reads at the same time do not disturb each other', async () => {
    const read = async (name: string) => (await source.read([name], signal)).get(name);
    const readings = await Promise.all(names.map(read));
    expect(readings.map((reading) => (reading as { value: number }).value)).toEqual([0.5, 1.5, 2.5]);
  });

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop');
    await expect(source.read(['absent'], AbortSignal.abort(reason))).rejects.toBe(reason);
  });
}
