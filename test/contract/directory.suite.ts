import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../packages/control-system/device-view.js';
import type { Directory } from '../../packages/control-system/sources.port.js';

export interface OpenedDirectory {
  readonly source: Directory;
  add(name: string, channel: Channel): void;
  destroy(): Promise<void>;
}

const name = 'SR:C03-MG:G02A{Quad:1}%I';
const channel = { owner: 'recceiver', properties: [{ name: 'iocName', value: 'SR-MG-IOC3' }], tags: ['archived'] };

/** Requirements of every directory of devices. */
export function directorySuite(open: () => Promise<OpenedDirectory>): void {
  let opened: OpenedDirectory;
  beforeAll(async () => {
    opened = await open();
    for (const one of [name, 'SR:C03-MG:G02A{Quad:1}T', 'SR:C03-MG:G02A{Quad:1}V', 'SR:C03-MG:G02B{Quad:1}I']) {
      opened.add(one, channel);
    }
  });
  afterAll(() => opened.destroy());
  const signal = new AbortController().signal;

  test('a device has its owner, properties and tags, whatever its name', async () => {
    expect(await opened.source.find(name, signal)).toEqual(channel);
  });

  test('a device that the directory lacks is unknown', async () => {
    expect(await opened.source.find('SR:none', signal)).toEqual({ missing: expect.any(String), code: 'unknown' });
    expect(opened.source.state.failure).toBeUndefined();
  });

  test('neighbours have the same prefix, in order, without the device, at most as many as wanted', async () => {
    const neighbours = ['SR:C03-MG:G02A{Quad:1}T', 'SR:C03-MG:G02A{Quad:1}V'];
    const read = (of: string, max: number) => opened.source.neighbours(of, { max, isWanted: () => true }, signal);
    expect(await read(name, 10)).toEqual(neighbours);
    expect(await read(name, 1)).toHaveLength(1);
    expect(await read('plain', 10)).toEqual([]);
  });

  test('names that are not wanted do not crowd out others', async () => {
    const [internal, shown] = ['Internal', 'Shown'].map((kind) =>
      Array.from({ length: kind === 'Shown' ? 3 : 160 }, (_, at) => `SR:C04:${kind}${String(at).padStart(3, '0')}`),
    ) as [string[], string[]];
    for (const one of [...internal, ...shown]) opened.add(one, channel);
    const isWanted = (one: string) => !one.includes('Internal');
    expect(await opened.source.neighbours('SR:C04:X', { max: 2, isWanted }, signal)).toEqual(shown.slice(0, 2));
    expect(await opened.source.neighbours('SR:C04:X', { max: 50, isWanted }, signal)).toEqual(shown);
  });

  test('all names are listed, or as many as wanted', async () => {
    const many = Array.from({ length: 130 }, (_, at) => `BR{${at}}`);
    for (const one of many) opened.add(one, channel);
    const listed = await opened.source.list(10_000, signal);
    expect([...listed]).toEqual(expect.arrayContaining([name, ...many]));
    expect([...(await opened.source.list(100, signal))]).toEqual([...listed].slice(0, 100));
  });

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop');
    await expect(opened.source.find(name, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
}
