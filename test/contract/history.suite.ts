import { afterAll, beforeAll, expect, test } from 'vitest';
import type { History } from '../../packages/control-system/sources.port.js';

export interface OpenedHistory {
  readonly source: History;
  /** Adds a device that had numbers with units since the given moments. */
  add(name: string, units: string, ...samples: { readonly atMs: number; readonly value: number }[]): void;
  destroy(): Promise<void>;
}

const name = 'SR:C03-MG:G02A{Quad:1}%I';

/** Requirements of every source of values in the past. */
export function historySuite(open: () => Promise<OpenedHistory>): void {
  let opened: OpenedHistory;
  beforeAll(async () => {
    opened = await open();
    opened.add(name, 'mA', { atMs: 1_764_104_400_500, value: 401.25 }, { atMs: 1_764_104_401_500, value: 12 });
  });
  afterAll(() => opened.destroy());
  const signal = new AbortController().signal;
  const at = async (atMs: number) => (await opened.source.readAt([name], atMs, signal)).get(name);

  test('the value at a moment is the last one before it, with units and its time', async () => {
    const sample = { value: 401.25, units: 'mA', severity: 'NONE', atMs: 1_764_104_400_500 };
    expect(await at(1_764_104_400_500)).toMatchObject(sample);
    expect(await at(1_764_104_401_499)).toMatchObject(sample);
    expect(await at(1_764_104_401_500)).toMatchObject({ value: 12, atMs: 1_764_104_401_500 });
  });

  test('a device without a value at that moment is missing', async () => {
    expect(await at(1_764_104_400_499)).toEqual({ missing: expect.any(String) });
    const readings = await opened.source.readAt(['unknown', name], 1_764_104_401_000, signal);
    expect(readings.get('unknown')).toEqual({ missing: expect.any(String) });
    expect(readings.get(name)).toMatchObject({ value: 401.25 });
  });

  test('a curve begins with the value at its start, and has at most as many samples as wanted', async () => {
    const values = Array.from({ length: 500 }, (_, at) => ({ atMs: 1_764_104_410_000 + at * 100, value: at % 10 }));
    opened.add('curve', 'mA', ...values);
    const read = (startMs: number, points: number) =>
      opened.source.readRange('curve', { startMs, endMs: 1_764_104_460_000, points }, signal);
    const whole = await read(1_764_104_410_050, 1_000);
    expect(whole).toMatchObject({ kind: 'number', units: 'mA', isBinned: false, isCut: false, gaps: [], problems: [] });
    expect(whole.samples.map(({ at, value }) => ({ atMs: at, value }))).toEqual(values);
    const binned = await read(1_764_104_410_050, 20);
    expect(binned.isBinned).toBe(true);
    expect(binned.samples.length).toBeLessThanOrEqual(20);
    for (const { min, max } of binned.samples.slice(1, -1)) expect([min, max]).toEqual([0, 9]);
    expect(await opened.source.readRange('unknown', { startMs: 1, endMs: 2, points: 10 }, signal)).toMatchObject({
      samples: [],
      problems: [{ source: 'history', code: 'unknown' }],
    });
  });

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop');
    await expect(opened.source.readAt([name], 1, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
}
