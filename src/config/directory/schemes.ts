import {
  type ActiveDirectorySource,
  type EmbeddedLdapSource,
  type LdapSource,
  readActiveDirectorySource,
  readEmbeddedLdapSource,
  readLdapSource,
  type SourceReading,
} from './read-directory-file.js';

/** The configuration of an authentication provider. */
export type SchemeSetting =
  | { readonly scheme: 'inMemory' }
  | { readonly scheme: 'embeddedLdap'; readonly source: EmbeddedLdapSource }
  | { readonly scheme: 'ldap'; readonly source: LdapSource }
  | { readonly scheme: 'active_directory'; readonly source: ActiveDirectorySource };

export const schemeNames = ['inMemory', 'embeddedLdap', 'ldap', 'active_directory'] as const;
export type SchemeName = (typeof schemeNames)[number];

export interface PropertySources {
  readonly embeddedLdapPropertySource?: string | undefined;
  readonly ldapPropertySource?: string | undefined;
  readonly activeDirectoryPropertySource?: string | undefined;
}

/**
 * Reads the property sources of the given providers only.
 * @returns the providers in the given order, or everything that is wrong with them, a line each
 */
export function readSchemes(
  names: readonly SchemeName[],
  files: PropertySources,
): SourceReading<readonly SchemeSetting[]> {
  const problems: string[] = [];
  const schemes: SchemeSetting[] = [];
  for (const name of names) {
    const reading = readScheme(name, files);
    if ('settings' in reading) schemes.push(reading.settings);
    else problems.push(...reading.problems);
  }
  return problems.length > 0 ? { problems } : { settings: schemes };
}

function readScheme(scheme: SchemeName, files: PropertySources): SourceReading<SchemeSetting> {
  switch (scheme) {
    case 'inMemory':
      return { settings: { scheme } };
    case 'embeddedLdap':
      return withSource(readEmbeddedLdapSource(files.embeddedLdapPropertySource), (source) => ({ scheme, source }));
    case 'ldap': {
      const file = files.ldapPropertySource;
      if (file === undefined) return missing('ldapPropertySource', scheme);
      return withSource(readLdapSource(file), (source) => ({ scheme, source }));
    }
    case 'active_directory': {
      const file = files.activeDirectoryPropertySource;
      if (file === undefined) return missing('activeDirectoryPropertySource', scheme);
      return withSource(readActiveDirectorySource(file), (source) => ({ scheme, source }));
    }
  }
}

function withSource<T>(
  reading: SourceReading<T>,
  toSetting: (source: T) => SchemeSetting,
): SourceReading<SchemeSetting> {
  return 'settings' in reading ? { settings: toSetting(reading.settings) } : reading;
}

function missing(setting: keyof PropertySources, scheme: SchemeName): { readonly problems: readonly string[] } {
  return { problems: [`${setting} is not set: the provider ${scheme} needs a file that configures its directory`] };
}
