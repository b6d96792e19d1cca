import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SavedValues } from '../../packages/control-system/sources.port.js';

export interface OpenedSavedValues {
  readonly source: SavedValues;
  /** Adds a snapshot of numbers with units, in their order. */
  add(snapshot: {
    readonly id: string;
    readonly name: string;
    readonly createdMs: number;
    readonly values: Readonly<Record<string, { readonly value: number; readonly units: string }>>;
  }): void;
  destroy(): Promise<void>;
}

const name = 'SR:C03-MG:G02A{Quad:1}%I';
const createdMs = 1_764_104_400_123;
const idOf = (at: number) => `8a1b0a62-6f0a-4b7c-9d6e-00000000000${at}`;

/** Requirements of every source of saved values. */
export function savedValuesSuite(open: () => Promise<OpenedSavedValues>): void {
  let opened: OpenedSavedValues;
  beforeAll(async () => {
    opened = await open();
    const other = { 'SR:other': { value: 7, units: '' } };
    const values = { [name]: { value: 2.5e-9, units: 'mbar' }, ...other };
    opened.add({ id: idOf(1), name: 'First', createdMs, values });
    opened.add({ id: idOf(3), name: 'Third', createdMs: createdMs + 2, values });
    opened.add({ id: idOf(2), name: 'Without', createdMs: createdMs + 1, values: other });
  });
  afterAll(() => opened.destroy());
  const signal = new AbortController().signal;

  test('the saved values of a device are its own, newest first, whatever its name', async () => {
    const newest = { id: idOf(3), name: 'Third', at: createdMs + 2, value: '2.5e-9 mbar' };
    const first = { id: idOf(1), name: 'First', at: createdMs, value: '2.5e-9 mbar' };
    expect(await opened.source.latest(name, 10, signal)).toEqual({ values: [newest, first], isCut: false });
    expect(await opened.source.latest(name, 1, signal)).toEqual({ values: [newest], isCut: true });
    expect(await opened.source.latest('SR:none', 10, signal)).toEqual({ values: [], isCut: false });
  });

  test('a snapshot has its devices in order, with value, units, severity and time', async () => {
    const items = await opened.source.snapshot(idOf(1), signal);
    expect(items).toMatchObject([
      { name, saved: { value: 2.5e-9, units: 'mbar', severity: 'NONE', atMs: expect.any(Number) } },
      { name: 'SR:other', saved: { value: 7, units: undefined } },
    ]);
  });

  test('a snapshot that the source lacks is unknown', async () => {
    expect(await opened.source.snapshot(idOf(9), signal)).toEqual({ missing: expect.any(String), code: 'unknown' });
    expect(opened.source.state.failure).toBeUndefined();
  });

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop');
    await expect(opened.source.latest(name, 1, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(opened.source.snapshot(idOf(1), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
}
