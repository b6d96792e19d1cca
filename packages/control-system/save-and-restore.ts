import type { SavedValue } from './device-view.js';
import { isRecord, toInstant, toNumber } from './lenient-json.js';
import { shownValue } from './shown-value.js';
import { type Missing, type SavedValues, SourceUnavailable } from './sources.port.js';
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
    const snapshot = await this.get(`/snapshot/${encodeURIComponent(id)}`, signal).catch((error: unknown) => {
      if (error instanceof SourceUnavailable && !signal.aborted) return undefined;
      throw error;
    });
    const items = isRecord(snapshot) && Array.isArray(snapshot.snapshotItems) ? snapshot.snapshotItems : [];
    for (const item of items as unknown[]) {
      if (!isRecord(item) || !isRecord(item.configPv) || item.configPv.pvName !== name) continue;
      return isRecord(item.value) ? toShown(item.value) : undefined;
    }
    return undefined;
  }
}

function toShown({ value, display, alarm, time }: Fields): string | undefined {
  const units = isRecord(display) && typeof display.units === 'string' ? display.units.trim() : '';
  const read = toValue(value);
  if (read === undefined || (isRecord(time) && toInstant(time.unixSec, time.nanoSec) === undefined)) return undefined;
  const shown = shownValue({ value: read, units: units === '' ? undefined : units, precision: undefined });
  const severity = isRecord(alarm) ? toText(alarm.severity) : '';
  return severity === '' || severity === 'NONE' ? shown : `${shown} (${severity})`;
}

function toValue(value: unknown): number | string | readonly number[] | undefined {
  if (!Array.isArray(value)) return toNumber(value) ?? (typeof value === 'string' ? value : undefined);
  const numbers = value.map(toNumber);
  return numbers.every((one) => one !== undefined) ? numbers : undefined;
}
