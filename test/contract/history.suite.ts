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

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop');
    await expect(opened.source.readAt([name], 1, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
}
