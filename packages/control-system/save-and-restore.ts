import type { SavedValue, Severity } from './device-view.js';
import { readUnits } from './display.js';
import { isRecord, toInstant, toNumber } from './lenient-json.js';
import { shownValue } from './shown-value.js';
import { isSample, type Missing, type Sample, type SavedItem, type SavedValues } from './sources.port.js';
import { toText, WebSource } from './web-source.js';

type Fields = Readonly<Record<string, unknown>>;

/** Configurations of which the snapshots are read. */
const maxConfigurations = 3;

/** The save-and-restore service of Phoebus. */
export class SaveAndRestore extends WebSource implements SavedValues {
  protected readonly name = 'save-and-restore';

  async latest(name: string, max: number, signal: AbortSignal): Promise<readonly SavedValue[] | Missing> {
    const nodes = await this.snapshotsWith(name, signal);
    const newest = nodes.sort((one, other) => other.at - one.at).slice(0, max);
    const saved: SavedValue[] = [];
    for (const { id, name: title, at } of newest) {
      const value = await this.valueIn(id, name, signal);
      if (value !== undefined) saved.push({ id, name: title, at, value });
    }
    return saved;
  }

  /** Snapshots are the children of the configurations that have the device. */
  private async snapshotsWith(name: string, signal: AbortSignal) {
    const found = await this.get(`/search?${new URLSearchParams({ pvs: name, size: '20' })}`, signal);
    const nodes = isRecord(found) && Array.isArray(found.nodes) ? found.nodes.filter(isRecord) : [];
    const configurations = nodes.filter((node) => node.nodeType === 'CONFIGURATION').slice(0, maxConfigurations);
    const snapshots: { readonly id: string; readonly name: string; readonly at: number }[] = [];
    for (const { uniqueId } of configurations) {
      const children = await this.get(`/node/${encodeURIComponent(toText(uniqueId))}/children`, signal);
      for (const node of Array.isArray(children) ? children.filter(isRecord) : []) {
        const at = toNumber(node.created);
        if (node.nodeType !== 'SNAPSHOT' || at === undefined) continue;
        snapshots.push({ id: toText(node.uniqueId), name: toText(node.name), at: Math.trunc(at) });
      }
    }
    return snapshots;
  }

  /** Returns undefined when the snapshot does not have the device, or is too large to be read. */
  private async valueIn(id: string, name: string, signal: AbortSignal): Promise<string | undefined> {
    const items = await this.snapshot(id, signal);
    if ('missing' in items) return undefined;
    const saved = items.find((item) => item.name === name)?.saved;
    return isSample(saved) ? toShown(saved) : undefined;
  }

  async snapshot(id: string, signal: AbortSignal): Promise<readonly SavedItem[] | Missing> {
    const answer = await this.get(`/snapshot/${encodeURIComponent(id)}`, signal, tooLarge);
    if (answer === undefined) return { missing: 'save-and-restore does not have it', code: 'unknown' };
    if (answer === tooLarge) return tooLarge;
    if (!isRecord(answer) || !Array.isArray(answer.snapshotItems)) {
      return { missing: 'save-and-restore sent something other than a snapshot' };
    }
    return (answer.snapshotItems as unknown[]).flatMap((item) => {
      const name = isRecord(item) && isRecord(item.configPv) ? toText(item.configPv.pvName) : '';
      return isRecord(item) && name !== '' ? [{ name, saved: toSample(item.value) }] : [];
    });
  }
}

const tooLarge: Missing = { missing: 'the snapshot is too large' };

const severities: readonly string[] = ['NONE', 'MINOR', 'MAJOR', 'INVALID'] satisfies Severity[];

function toSample(saved: unknown): Sample | Missing {
  if (!isRecord(saved)) return { missing: 'no value was saved', code: 'empty' };
  const { display, alarm, time } = saved;
  const value = toValue(saved.value);
  const atMs = isRecord(time) ? toInstant(time.unixSec, time.nanoSec) : undefined;
  if (value === undefined) return { missing: 'its saved value is of an unknown kind' };
  if (atMs === undefined) return { missing: 'the time of its saved value is wrong' };
  const severity = isRecord(alarm) ? toText(alarm.severity) : 'NONE';
  return {
    ...{ value, atMs, precision: undefined, units: isRecord(display) ? readUnits(display.units) : undefined },
    ...stateOf(saved),
    severity: severities.includes(severity) ? (severity as Severity) : 'UNDEFINED',
  };
}

/** An enumeration has an index and labels; people know the label. */
function stateOf({ type, value, enum: states }: Fields): Partial<Pick<Sample, 'index' | 'value'>> {
  const isEnumeration = isRecord(type) && type.name === 'VEnum';
  if (!isEnumeration || typeof value !== 'number' || !Number.isInteger(value)) return {};
  const labels: readonly unknown[] = isRecord(states) && Array.isArray(states.labels) ? states.labels : [];
  const label = labels[value];
  return { index: value, ...(typeof label === 'string' && { value: label }) };
}

function toShown(saved: Sample): string {
  const shown = shownValue(saved);
  return saved.severity === 'NONE' ? shown : `${shown} (${saved.severity})`;
}

function toValue(value: unknown): Sample['value'] | undefined {
  if (!Array.isArray(value)) return toNumber(value) ?? (typeof value === 'string' ? value : undefined);
  const numbers = value.map(toNumber);
  return numbers.every((one) => one !== undefined) ? numbers : undefined;
}
