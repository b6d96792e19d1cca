import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlarmLog } from '../../packages/control-system/sources.port.js';

export interface OpenedAlarmLog {
  readonly source: AlarmLog;
  /** Adds an alarm of a device, after those that were added before. */
  add(name: string, alarm: { readonly atMs: number; readonly severity: 'MINOR' | 'MAJOR' }): void;
  destroy(): Promise<void>;
}

const name = 'SR:C03-MG:G02A{Quad:1}%I';
const startMs = 1_764_104_400_123;

/** Requirements of every source of alarms. */
export function alarmLogSuite(open: () => Promise<OpenedAlarmLog>): void {
  let opened: OpenedAlarmLog;
  beforeAll(async () => {
    opened = await open();
    for (let at = 0; at < 30; at += 1) {
      opened.add(name, { atMs: startMs + at * 1_000, severity: at % 2 === 0 ? 'MINOR' : 'MAJOR' });
    }
    opened.add(`${name}2`, { atMs: startMs + 60_000, severity: 'MAJOR' });
  });
  afterAll(() => opened.destroy());
  const signal = new AbortController().signal;
  /** Returns the number of alarms, and whether there are more. */
  const count = async (device: string, max: number) => {
    const latest = await opened.source.latest(device, { max, range: undefined }, signal);
    return 'missing' in latest ? latest : [latest.alarms.length, latest.isCut];
  };

  test('the latest alarms are those of the device alone, newest first, with time and severity', async () => {
    const alarms = await opened.source.latest(name, { max: 3, range: undefined }, signal);
    expect(alarms).toMatchObject({
      alarms: [
        { at: startMs + 29_000, severity: 'MAJOR' },
        { at: startMs + 28_000, severity: 'MINOR' },
        { at: startMs + 27_000, severity: 'MAJOR' },
      ],
      isCut: true,
    });
    expect(await count(`${name}2`, 10)).toEqual([1, false]);
    expect(await count(name, 30)).toEqual([30, false]);
    expect(await count(name, 29)).toEqual([29, true]);
  });

  test('alarms are found behind many alarms of devices whose names contain the name', async () => {
    const chatter = 'SR:chatter';
    opened.add(chatter, { atMs: startMs, severity: 'MAJOR' });
    for (let at = 0; at < 900; at += 1) {
      // Some at the same time.
      opened.add(`${chatter}:2`, { atMs: startMs + 1_000 + (at >> 2), severity: 'MINOR' });
      if (at === 450) opened.add(chatter, { atMs: startMs + 1_000 + (at >> 2), severity: 'MINOR' });
    }
    const found = [
      { at: startMs + 1_112, severity: 'MINOR' },
      { at: startMs, severity: 'MAJOR' },
    ];
    const range = { startMs, endMs: startMs + 3_600_000 };
    for (const wanted of [
      { max: 5, range: undefined },
      { max: 5, range },
    ]) {
      const latest = await opened.source.latest(chatter, wanted, signal);
      expect(latest).toMatchObject({ alarms: found, isCut: false });
    }
    expect(await count(`${chatter}:2`, 850)).toEqual([850, true]);
  });

  test('if other devices have too many alarms, the answer says that some may be missing', async () => {
    const quiet = 'SR:quiet';
    opened.add(quiet, { atMs: startMs, severity: 'MAJOR' });
    for (let at = 0; at < 3_000; at += 1) {
      opened.add(`${quiet}:2`, { atMs: startMs + 1_000 + at, severity: 'MINOR' });
    }
    expect(await opened.source.latest(quiet, { max: 5, range: undefined }, signal)).toMatchObject({
      missing: expect.stringContaining('other devices'),
    });
    opened.add(quiet, { atMs: startMs + 4_000, severity: 'MAJOR' });
    expect(await count(quiet, 5)).toEqual([1, true]);
  });

  test('a device without alarms has none', async () => {
    expect(await opened.source.latest('SR:none', { max: 10, range: undefined }, signal)).toEqual({
      alarms: [],
      isCut: false,
    });
    expect(opened.source.state.failure).toBeUndefined();
  });

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop');
    await expect(opened.source.latest(name, { max: 1, range: undefined }, AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  });
}
