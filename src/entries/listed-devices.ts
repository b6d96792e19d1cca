import type { CatalogReader } from '../catalog/catalog-store.port.js';
import type { DeviceNames } from './device-names.js';
import { deviceLimits } from './device-options.js';
import type { Entry } from './entry.js';
import { unlessDamaged } from './unless-damaged.js';

/** Adds the devices that logbooks list to those that entries name. Reads the list of each logbook once. */
export class ListedDevices {
  private readonly lists = new Map<string, readonly string[]>();

  constructor(
    private readonly catalog: CatalogReader,
    private readonly deviceNames: Pick<DeviceNames, 'isExcluded'>,
  ) {}

  /** Returns the entry with the devices whose values it receives, up to the limit: first those that it names. */
  async addTo(entry: Entry): Promise<Entry> {
    const devices = new Set(entry.devices);
    for (const { name } of entry.logbooks) for (const device of await this.listOf(name)) devices.add(device);
    if (devices.size === (entry.devices?.length ?? 0)) return entry;
    return { ...entry, devices: [...devices].slice(0, deviceLimits.names) };
  }

  private async listOf(logbook: string): Promise<readonly string[]> {
    const known = this.lists.get(logbook);
    if (known) return known;
    const stored = await unlessDamaged(() => this.catalog.find('logbooks', logbook));
    const listed = (stored !== 'damaged' && stored?.devices) || [];
    const devices = listed.filter((name) => !this.deviceNames.isExcluded(name));
    this.lists.set(logbook, devices);
    return devices;
  }
}
