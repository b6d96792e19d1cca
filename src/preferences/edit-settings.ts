import type { AccountKey } from '../auth/accounts.js';
import { Fault } from '../kernel/fault.js';
import { inBytes, limitFault } from '../kernel/limit.js';
import type { PreferenceStorage } from './preference-storage.js';
import type { PreferenceReader, Settings } from './preference-store.port.js';

export const maxSettingsBytes = 65_536;

/** Returns the settings of the account; an empty object before they are stored for the first time. */
export async function getSettings(preferences: PreferenceReader, owner: AccountKey): Promise<Settings> {
  return (await preferences.findSettings(owner)) ?? { revision: 0, json: Buffer.from('{}') };
}

/**
 * Replaces the settings of the account.
 * @param expects whether the client expects this revision
 * @throws Fault too-large `settings.too-large`
 * @throws SettingsMismatch
 */
export async function putSettings(
  storage: PreferenceStorage,
  owner: AccountKey,
  content: object,
  expects: (revision: number) => boolean,
): Promise<Settings> {
  const json = Buffer.from(JSON.stringify(content));
  if (json.byteLength > maxSettingsBytes) {
    throw limitFault('too-large', 'settings.too-large', {
      refused: `The settings take ${inBytes(json.byteLength)}; nothing was stored.`,
      limit: { amount: inBytes(maxSettingsBytes), setting: undefined, countedFor: 'each user' },
    });
  }
  return storage.write(async (tx) => {
    const stored = await getSettings(tx.preferences, owner);
    if (!expects(stored.revision)) throw new SettingsMismatch(stored);
    return tx.preferences.putSettings(owner, json);
  });
}

/** The fault of a change that is based on an outdated revision of the settings: stale `settings.version-mismatch`. */
export class SettingsMismatch extends Fault {
  constructor(readonly current: Settings) {
    super(
      'stale',
      'settings.version-mismatch',
      'The settings have changed since you read them. Apply your change to the current ones, which are under “current”.',
      { details: { current: JSON.parse(Buffer.from(current.json).toString()) } },
    );
  }
}
