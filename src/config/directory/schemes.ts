import {
  type ActiveDirectorySettings,
  type DirectoryReading,
  type EmbeddedLdapSettings,
  type LdapSettings,
  readActiveDirectorySettings,
  readEmbeddedLdapSettings,
  readLdapSettings,
} from './read-directory-file.js';

/** The configuration of an authentication provider. */
export type SchemeSetting =
  | { readonly scheme: 'inMemory' }
  | { readonly scheme: 'embeddedLdap'; readonly settings: EmbeddedLdapSettings }
  | { readonly scheme: 'ldap'; readonly settings: LdapSettings }
  | { readonly scheme: 'active_directory'; readonly settings: ActiveDirectorySettings };

export const schemeNames = ['inMemory', 'embeddedLdap', 'ldap', 'active_directory'] as const;
export type SchemeName = (typeof schemeNames)[number];

export interface DirectoryFiles {
  readonly embeddedLdapPropertySource?: string | undefined;
  readonly ldapPropertySource?: string | undefined;
  readonly activeDirectoryPropertySource?: string | undefined;
}

/**
 * Reads the property sources of only the given providers.
 * @returns the providers in the given order, or all problems, one per line
 */
export function readSchemes(
  names: readonly SchemeName[],
  files: DirectoryFiles,
): DirectoryReading<readonly SchemeSetting[]> {
  const problems: string[] = [];
  const schemes: SchemeSetting[] = [];
  for (const name of names) {
    const reading = readScheme(name, files);
    if ('settings' in reading) schemes.push(reading.settings);
    else problems.push(...reading.problems);
  }
  return problems.length > 0 ? { problems } : { settings: schemes };
}

function readScheme(scheme: SchemeName, files: DirectoryFiles): DirectoryReading<SchemeSetting> {
  switch (scheme) {
    case 'inMemory':
      return { settings: { scheme } };
    case 'embeddedLdap':
      return withSettings(readEmbeddedLdapSettings(files.embeddedLdapPropertySource), (settings) => ({
        scheme,
        settings,
      }));
    case 'ldap': {
      const file = files.ldapPropertySource;
      if (file === undefined) return missing('ldapPropertySource', scheme);
      return withSettings(readLdapSettings(file), (settings) => ({ scheme, settings }));
    }
    case 'active_directory': {
      const file = files.activeDirectoryPropertySource;
      if (file === undefined) return missing('activeDirectoryPropertySource', scheme);
      return withSettings(readActiveDirectorySettings(file), (settings) => ({ scheme, settings }));
    }
  }
}

function withSettings<T>(
  reading: DirectoryReading<T>,
  toSetting: (source: T) => SchemeSetting,
): DirectoryReading<SchemeSetting> {
  return 'settings' in reading ? { settings: toSetting(reading.settings) } : reading;
}

function missing(setting: keyof DirectoryFiles, scheme: SchemeName): { readonly problems: readonly string[] } {
  return { problems: [`${setting} is not set: the provider ${scheme} needs a file that configures its directory`] };
}
