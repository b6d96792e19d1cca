import type { CurrentValue, Display, ValueKind, ValueLimits } from './device-view.js';
import { toNumber } from './lenient-json.js';
import { printable, shownValue } from './shown-value.js';
import type { Sample } from './sources.port.js';

export const noLimits: ValueLimits = {
  displayLow: null,
  displayHigh: null,
  alarmLow: null,
  warningLow: null,
  warningHigh: null,
  alarmHigh: null,
};

export const noDisplay: Display = { units: null, precision: null, states: null, limits: noLimits };

/** Names of a source's fields for each limit. */
export type LimitFields = Readonly<Record<keyof ValueLimits, string>>;

/** Returns the limits from the fields of a source. Two equal limits mean that there are none. */
export function readLimits(fields: Readonly<Record<string, unknown>>, names: LimitFields): ValueLimits {
  const read = (key: keyof ValueLimits): number | null => finite(fields[names[key]]);
  const pair = <L extends keyof ValueLimits, H extends keyof ValueLimits>(low: L, high: H) => {
    const [from, to] = [read(low), read(high)];
    return { [low]: from === to ? null : from, [high]: from === to ? null : to } as Record<L | H, number | null>;
  };
  return {
    ...pair('displayLow', 'displayHigh'),
    ...pair('warningLow', 'warningHigh'),
    ...pair('alarmLow', 'alarmHigh'),
  };
}

const maxUnitsLength = 40;
const maxStates = 256;
const maxStateLength = 100;

/** Returns units on one line and with bounded length; undefined when there are none. */
export function readUnits(units: unknown): string | undefined {
  return typeof units === 'string' ? printable(units, maxUnitsLength) || undefined : undefined;
}

/** Returns the names of states, bounded in number and length. */
export function readStates(states: readonly unknown[]): readonly string[] {
  return states.slice(0, maxStates).map((state) => printable(String(state), maxStateLength));
}

/** Returns a finite number, even if it was sent as a string; null for anything else. */
function finite(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : toNumber(value);
  return number !== undefined && Number.isFinite(number) ? number : null;
}

/** Converts a sample to the current value of a device. */
export function toCurrent(sample: Sample): CurrentValue {
  const { value, index, units, precision, severity, atMs: at, display } = sample;
  return {
    kind: kindOf(sample),
    value: index ?? finite(typeof value === 'number' ? value : undefined),
    text: shownValue(sample),
    severity,
    at,
    units: units ?? null,
    precision: precision ?? null,
    states: display?.states ?? null,
    limits: display?.limits ?? noLimits,
  };
}

function kindOf({ value, index }: Sample): ValueKind {
  if (index !== undefined) return 'enum';
  if (typeof value === 'number') return 'number';
  return typeof value === 'string' ? 'text' : 'array';
}
