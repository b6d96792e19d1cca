import { backupSettings } from './backup-settings.js';
import { blobSettings } from './blob-settings.js';
import { chatSettings } from './chat-settings.js';
import { controlSystemSettings } from './control-system-settings.js';
import { indexSettings } from './index-settings.js';
import { limitSettings } from './limit-settings.js';
import { listenerSettings } from './listener-settings.js';
import { mailSettings } from './mail-settings.js';
import { monitoringSettings } from './monitoring-settings.js';
import { oidcSettings } from './oidc-settings.js';
import { pushSettings } from './push-settings.js';
import type { Setting } from './setting.js';
import { listSpellings, type Spelling } from './setting-names.js';
import { signInSettings } from './sign-in-settings.js';
import { siteSettings } from './site-settings.js';
import { storageSettings } from './storage-settings.js';

/** All settings. Each key is the name of the setting, from which the flag and the environment variable are derived. */
export const settings = {
  ...storageSettings,
  ...blobSettings,
  ...backupSettings,
  ...indexSettings,
  ...limitSettings,
  ...listenerSettings,
  ...signInSettings,
  ...oidcSettings,
  ...siteSettings,
  ...mailSettings,
  ...pushSettings,
  ...chatSettings,
  ...controlSystemSettings,
  ...monitoringSettings,
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;

/** The value of every setting: sizes in bytes, durations in milliseconds. */
export type SettingValues = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]['parse']> };

export const settingNames = Object.keys(settings) as SettingName[];

/** Returns a setting as a type with all optional attributes. */
export function findSetting(name: SettingName): Setting<unknown> {
  return settings[name];
}

/** Lists the spellings of all settings in a source. Each of `ways` turns a name into a form that the source accepts. */
export function listSettingSpellings(...ways: ((name: string) => string)[]): Map<string, Spelling> {
  return listSpellings(
    settingNames.map((name) => ({ name, ...findSetting(name) })),
    ways,
  );
}

export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export const environmentName = (name: string): string =>
  `LOGBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
