import type { Severity } from './device-view.js';
import { readUnits } from './display.js';
import { isRecord, parseLenient, toInstant } from './lenient-json.js';
import { readValue } from './read-value.js';
import type { Missing, Sample, SavedItem } from './sources.port.js';
import { toText } from './web-source.js';

type Fields = Readonly<Record<string, unknown>>;

/** Maximum number of elements of a saved array. */
const maxElements = 10_000;

/**
 * Reads the devices of a snapshot, with their saved values.
 * @throws SyntaxError
 */
export function readSnapshotItems(text: string): readonly SavedItem[] | Missing {
  const answer = parseLenient(text);
  if (!isRecord(answer) || !Array.isArray(answer.snapshotItems)) {
    return { missing: 'save-and-restore sent something other than a snapshot' };
  }
  return (answer.snapshotItems as unknown[]).flatMap((item) => {
    const name = isRecord(item) && isRecord(item.configPv) ? toText(item.configPv.pvName) : '';
    return isRecord(item) && name !== '' ? [{ name, saved: toSample(item.value) }] : [];
  });
}

const severities: readonly string[] = ['NONE', 'MINOR', 'MAJOR', 'INVALID'] satisfies Severity[];

function toSample(saved: unknown): Sample | Missing {
  if (!isRecord(saved)) return { missing: 'no value was saved', code: 'empty' };
  const { display, alarm, time } = saved;
  if (Array.isArray(saved.value) && saved.value.length > maxElements) return { missing: 'its value is too large' };
  const value = readValue(saved.value);
  const atMs = isRecord(time) ? toInstant(time.unixSec, time.nanoSec) : undefined;
  if (value === undefined) return { missing: 'its saved value is of an unknown kind' };
  if (atMs === undefined) return { missing: 'the time of its saved value is wrong' };
  const severity = isRecord(alarm) ? toText(alarm.severity) : 'NONE';
  return {
    ...{ ...value, atMs, precision: undefined, units: isRecord(display) ? readUnits(display.units) : undefined },
    ...stateOf(saved),
    severity: severities.includes(severity) ? (severity as Severity) : 'UNDEFINED',
  };
}

/** Returns index and label of an enumeration. The label is the value, because people know it. */
function stateOf({ type, value, enum: states }: Fields): Partial<Pick<Sample, 'index' | 'value'>> {
  const isEnumeration = isRecord(type) && type.name === 'VEnum';
  if (!isEnumeration || typeof value !== 'number' || !Number.isInteger(value)) return {};
  const labels: readonly unknown[] = isRecord(states) && Array.isArray(states.labels) ? states.labels : [];
  const label = labels[value];
  return { index: value, ...(typeof label === 'string' && { value: label }) };
}
