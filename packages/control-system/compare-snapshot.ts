import type { ComparedValue, SnapshotRow } from './device-view.js';
import { toCurrent } from './display.js';
import { shownValue } from './shown-value.js';
import { isSample, type Missing, type Sample, type SavedItem } from './sources.port.js';

/** Relative difference up to which two numbers are equal, because one of them may have had single precision. */
const tolerance = 1e-6;
const shownDigits = 6;

/**
 * Compares the saved value of a device with the current one.
 * @param current undefined when no source of current values is configured
 */
export function compareSaved({ name, saved }: SavedItem, current: Sample | Missing | undefined): SnapshotRow {
  const problems = [
    ...(isSample(saved) ? [] : [{ source: 'snapshots', ...toProblem(saved) } as const]),
    ...(current === undefined || isSample(current) ? [] : [{ source: 'live', ...toProblem(current) } as const]),
  ];
  const [then, now] = [isSample(saved) ? saved : undefined, isSample(current) ? current : undefined];
  if (!then || !now) {
    const [shownThen, shownNow] = [then && toCompared(then), now && toCompared(now)];
    return { name, saved: shownThen ?? null, current: shownNow ?? null, isDifferent: null, difference: null, problems };
  }
  const isDifferent = differs(then, now);
  const [shownThen, shownNow] = shownAlike(withState(then, now), now, isDifferent);
  const difference = isDifferent ? differenceOf(then, now) : null;
  return { name, saved: shownThen, current: shownNow, isDifferent, difference, problems };
}

/** Returns a missing value as a problem of its source. */
export function toProblem({
  missing,
  code = 'unreadable',
}: Missing): Pick<SnapshotRow['problems'][0], 'code' | 'reason'> {
  return { code, reason: missing };
}

function toCompared(sample: Sample): ComparedValue {
  const { kind, value, text, severity, at } = toCurrent(sample);
  return { kind, value, text, severity, at };
}

/** Adds the name of the state, which a saved enumeration may lack. */
function withState(then: Sample, { display }: Sample): Sample {
  const state = typeof then.value === 'number' && then.index !== undefined ? display?.states?.[then.index] : undefined;
  return state === undefined ? then : { ...then, value: state };
}

/** Shows both values with the decimals of the device, or with more if only those distinguish the values. */
function shownAlike(then: Sample, now: Sample, isDifferent: boolean): readonly [ComparedValue, ComparedValue] {
  // The decimals belong to the units of the device.
  if (differInUnits(then, now)) return [toCompared(then), toCompared(now)];
  const units = then.units ?? now.units;
  const pair = (precision: number | undefined) =>
    [then, now].map((sample) => ({ ...sample, units, precision })) as [Sample, Sample];
  const [one, other] = pair(now.precision);
  const isHidden = isDifferent && shownValue(one) === shownValue(other);
  const [shownThen, shownNow] = isHidden ? pair(undefined) : [one, other];
  return [toCompared(shownThen), toCompared(shownNow)];
}

/** Whether both values have units and these differ, so that the numbers cannot be compared. */
function differInUnits(then: Sample, now: Sample): boolean {
  return then.units !== undefined && now.units !== undefined && then.units !== now.units;
}

function differs(then: Sample, now: Sample): boolean {
  if (then.index !== undefined && now.index !== undefined) return then.index !== now.index;
  if (differInUnits(then, now)) return true;
  const [from, to] = [then.value, now.value];
  if (then.exact || now.exact) return digitsOf(then) !== digitsOf(now);
  if (typeof from === 'number' && typeof to === 'number') return !areClose(from, to);
  if (typeof from === 'object' && typeof to === 'object') {
    return from.length !== to.length || from.some((one, at) => !areClose(one, to[at] ?? Number.NaN));
  }
  return String(from) !== String(to);
}

function areClose(one: number, other: number): boolean {
  if (!Number.isFinite(one) || !Number.isFinite(other)) return Object.is(one, other);
  if (Number.isInteger(one) && Number.isInteger(other))
    return one === other || isSingle(one, other) || isSingle(other, one);
  return Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other));
}

const digitsOf = ({ exact, value }: Sample): string => String(exact ?? value);

/** Whether a number equals another one that is rounded to single precision. */
const isSingle = (one: number, other: number): boolean => one === Math.fround(other);

function differenceOf(then: Sample, now: Sample): number | null {
  if (
    now.index !== undefined ||
    differInUnits(then, now) ||
    typeof then.value !== 'number' ||
    typeof now.value !== 'number'
  )
    return null;
  const exact = then.exact && now.exact && BigInt(String(now.exact)) - BigInt(String(then.exact));
  const difference = exact === undefined ? Number((now.value - then.value).toPrecision(shownDigits)) : Number(exact);
  return Number.isFinite(difference) ? difference : null;
}
