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

  test('the latest alarms are those of the device alone, newest first, with time and severity', async () => {
    const alarms = await opened.source.latest(name, { max: 3, range: undefined }, signal);
    expect(alarms).toMatchObject([
      { at: startMs + 29_000, severity: 'MAJOR' },
      { at: startMs + 28_000, severity: 'MINOR' },
      { at: startMs + 27_000, severity: 'MAJOR' },
    ]);
    expect(await opened.source.latest(`${name}2`, { max: 10, range: undefined }, signal)).toHaveLength(1);
    expect(await opened.source.latest(name, { max: 50, range: undefined }, signal)).toHaveLength(30);
  });

  test('a device without alarms has none', async () => {
    expect(await opened.source.latest('SR:none', { max: 10, range: undefined }, signal)).toEqual([]);
    expect(opened.source.state.failure).toBeUndefined();
  });

  test('an aborted read rejects with the reason', async () => {
    const reason = new Error('stop');
    await expect(opened.source.latest(name, { max: 1, range: undefined }, AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  });
}
