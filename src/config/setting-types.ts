import { checkFile, readCaFile } from './file-path.js';
import { spellingsOfGroup, splitNames } from './group-names.js';
import type { Setting } from './setting.js';

export function setting<T>(
  placeholder: string,
  defaultText: string,
  description: string,
  parse: (text: string) => T,
): Setting<T> {
  return { placeholder, defaultText, description, parse: (value) => parse(value.trim()) };
}

/** Returns the setting of a text that must not be empty. */
export function text(placeholder: string, defaultText: string, description: string): Setting<string> {
  return setting(placeholder, defaultText, description, (value) => {
    if (value === '') throw new Error('it must not be empty');
    return value;
  });
}

/** Returns a setting without a default; its value is undefined when it is absent or empty. */
export function optional<T>(
  placeholder: string,
  description: string,
  parse: (text: string) => T,
): Setting<T | undefined> {
  return setting(placeholder, '', description, (value) => (value === '' ? undefined : parse(value)));
}

export function optionalText(placeholder: string, description: string): Setting<string | undefined> {
  return optional(placeholder, description, (value) => value);
}

/** Returns the setting of a file that must be readable. */
export function file(description: string) {
  return { ...optional('FILE', description, checkFile), isFile: true } as const;
}

/** Returns the setting of a file with certificates of authorities. Its value is the PEM text. */
export function caFile(description: string) {
  const setting = optional('FILE', description, (path) => ({ pem: readCaFile(path) }));
  return { ...setting, isFile: true } as const;
}

/** Returns the setting of values separated by commas. */
export function list<T>(
  placeholder: string,
  defaultText: string,
  description: string,
  parse: (item: string) => T,
): Setting<T[]> {
  return setting(placeholder, defaultText, description, (value) => splitList(value).map(parse));
}

export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function propertySource(description: string) {
  return { ...optionalText('FILE', description), bareEnvironmentName: true, isFile: true } as const;
}

/**
 * Returns the setting of group names. Only commas separate them, because names such as “Domain Admins” contain spaces.
 */
export function groups(role: string, rights: string): Setting<string[]> {
  return setting(
    'GROUPS',
    '',
    `Groups with the role ${role}, which may ${rights}: comma-separated names or quoted DNs.`,
    (value) => splitNames(value).flatMap(spellingsOfGroup),
  );
}

/** Returns the setting of a port, in which `off` means no listener. */
export function port(defaultText: string, description: string): Setting<number | 'off'> {
  return setting('PORT', defaultText, description, (value) => {
    if (value.toLowerCase() === 'off') return 'off';
    if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
      throw new Error('it must be a number from 0 to 65535, or off');
    return Number(value);
  });
}

export function flag(defaultText: string, description: string): Setting<boolean> {
  return setting('true|false', defaultText, description, (value) => {
    if (!/^(true|false)$/i.test(value)) throw new Error('it must be true or false');
    return value.toLowerCase() === 'true';
  });
}

export function count(defaultText: string, description: string): Setting<number> {
  return setting('NUMBER', defaultText, description, (value) => {
    if (!/^\d{1,6}$/.test(value)) throw new Error('it must be a whole number from 0 to 999999');
    return Number(value);
  });
}

/** Returns the setting of a number of at least 1. */
export function positiveCount(defaultText: string, description: string): Setting<number> {
  return setting('NUMBER', defaultText, description, (value) => {
    if (!/^[1-9]\d{0,5}$/.test(value)) throw new Error('it must be a whole number from 1 to 999999');
    return Number(value);
  });
}

const bytesPerUnit: Record<string, number> = { B: 1, KB: 1_024, MB: 1_048_576, GB: 1_073_741_824 };

export function size(defaultText: string, description: string): Setting<number> {
  return setting('SIZE', defaultText, description, parseSize);
}

/**
 * Returns a size in bytes.
 * @throws Error that describes the expected value
 */
export function parseSize(value: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?([kmg]?b)?$/i.exec(value) ?? [];
  const bytes = Math.floor(Number(number) * (bytesPerUnit[(unit ?? 'B').toUpperCase()] ?? 1));
  if (!(bytes > 0)) throw new Error('it must be a size such as 15MB (units B, kB, MB, GB)');
  if (unit === undefined && bytes < 1_024) {
    throw new Error(`it needs a unit: write ${value}MB for megabytes, or ${value}B if you mean bytes`);
  }
  return bytes;
}

const msPerUnit: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the setting of a duration, with its value in milliseconds. */
export function duration(
  defaultText: string,
  description: string,
  { zero = false, fine = false } = {},
): Setting<number> {
  return setting('TIME', defaultText, description, (value) => {
    const [, number, unit = ''] = (fine ? /^(\d+) ?(ms|[smhd])$/ : /^(\d+) ?([smhd])$/).exec(value) ?? [];
    const ms = Number(number) * (msPerUnit[unit] ?? Number.NaN);
    if (!(ms > 0 || (zero && ms === 0))) {
      throw new Error(`it must be a time such as 12h (units ${fine ? 'ms, ' : ''}s, m, h, d)`);
    }
    return ms;
  });
}
